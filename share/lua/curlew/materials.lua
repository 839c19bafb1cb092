-- Materials by name, with the source and the range of validity of each.
--
--   local materials = require "curlew.materials"
--   simulation {
--     materials = { default = {}, bead = materials.gold, board = materials.fr4, arm = materials.muscle },
--     ...
--   }
--
-- An entry is a table as the key `materials` takes it: epsilon_r, sigma (S/m), and the terms debye, drude, lorentz and
-- poles, for e^{jwt} and rad/s. `valid` is the range of frequencies (Hz) in which it is what its `source` says; a run
-- whose waveforms have much of their energy elsewhere warns. permittivity(entry, f) gives eps' and eps'' at a frequency.
--
-- The entries are checked against their sources by share/lua/tests/test_materials.lua.

local materials = {}

local pi, sqrt, log, exp = math.pi, math.sqrt, math.log, math.exp
local EPSILON_0, C0 = 8.8541878128e-12, 299792458
local EV = 1 / 6.582119569e-16 -- rad/s of an electron volt
local EV_HZ = EV / (2 * pi)

-- ---- metals at optical frequencies ----

-- A Drude term and Lorentz terms { f, gamma, omega } of one plasma frequency, all in eV (but f).
local function metal(name, from, to, plasma, f0, gamma0, terms)
  local lorentz = {}
  for i, term in ipairs(terms) do
    local f, gamma, omega = table.unpack(term)
    lorentz[i] = { delta = f * plasma ^ 2 / omega ^ 2, omega_0 = omega * EV, gamma = gamma * EV }
  end
  materials[name] = {
    epsilon_r = 1,
    drude = { { omega_p = sqrt(f0) * plasma * EV, gamma = gamma0 * EV } },
    lorentz = lorentz,
    valid = { from * EV_HZ, to * EV_HZ },
    source = "Rakic, Djurisic, Elazar & Majewski, Appl. Opt. 37, 5271 (1998), Lorentz-Drude model",
  }
end

metal("gold", 0.2, 5, 9.03, 0.760, 0.053, {
  { 0.024, 0.241, 0.415 }, { 0.010, 0.345, 0.830 }, { 0.071, 0.870, 2.969 }, { 0.601, 2.494, 4.304 },
  { 4.384, 2.214, 13.32 },
})
metal("silver", 0.1, 5, 9.01, 0.845, 0.048, {
  { 0.065, 3.886, 0.816 }, { 0.124, 0.452, 4.481 }, { 0.011, 0.065, 8.185 }, { 0.840, 0.916, 9.083 },
  { 5.646, 2.419, 20.29 },
})
metal("copper", 0.1, 6, 10.83, 0.575, 0.030, {
  { 0.061, 0.378, 0.291 }, { 0.104, 1.056, 2.957 }, { 0.723, 3.213, 5.300 }, { 0.638, 4.305, 11.18 },
})
metal("aluminium", 0.005, 20, 14.98, 0.523, 0.047, {
  { 0.227, 0.333, 0.162 }, { 0.050, 0.312, 1.544 }, { 0.166, 1.351, 1.808 }, { 0.030, 3.382, 3.473 },
})

-- ---- silicon and silica ----

-- `curlew fit` of maxwell/fit/tests/tables/silicon.csv, within 0.92 %.
materials.silicon = {
  epsilon_r = 1,
  poles = {
    { c = { 8.274330660917e+14, -1.08291461054e+16 }, a = { -1.451552608973e+15, 7.794178991813e+15 } },
    { c = { 2.289357516469e+14, -5.867479538408e+13 }, a = { -3.934409409821e+13, 6.402709829715e+15 } },
    { c = { -4.675409097694e+15, -1.293480844516e+16 }, a = { -4.178358440042e+14, 6.486270189498e+15 } },
    { c = { 2.816902890436e+15, -3.338019905749e+15 }, a = { -1.732172562065e+14, 5.10477843086e+15 } },
    { c = { 4.555515581849e+15, -7.119790434308e+15 }, a = { -6.117354835389e+14, 5.494683245137e+15 } },
  },
  valid = { C0 / 8e-6, C0 / 0.25e-6 },
  source = "intrinsic crystal, 300 K: Green, Sol. Energ. Mat. Sol. Cells 92, 1305 (2008) to 1.45 um; "
    .. "Tatian, Appl. Opt. 23, 4477 (1984) beyond",
}

-- The three lossless terms of the formula by two, within 0.011 %: its ultraviolet ones are one to the band.
materials.silica = {
  epsilon_r = 1.305837651807,
  lorentz = {
    { delta = 0.7983808669, omega_0 = 1.803268138289e16, gamma = 0 },
    { delta = 0.9148732563, omega_0 = 1.888097251957e14, gamma = 0 },
  },
  valid = { C0 / 3.71e-6, C0 / 0.21e-6 },
  source = "fused silica, 20 C: Malitson, J. Opt. Soc. Am. 55, 1205 (1965)",
}

-- ---- water ----

-- Pure water from -20 to 60 degrees Celsius: a double Debye model.
function materials.water_at(celsius)
  if type(celsius) ~= "number" or celsius < -20 or celsius > 60 then
    error("water_at takes a temperature from -20 to 60 degrees Celsius, not " .. tostring(celsius), 2)
  end
  local theta = 1 - 300 / (273.15 + celsius)
  local static = 77.66 - 103.3 * theta
  local middle, fast = 0.0671 * static, 3.52 + 7.52 * theta
  local first = (20.20 + 146.4 * theta + 316 * theta ^ 2) * 1e9
  return {
    epsilon_r = fast,
    debye = {
      { delta = static - middle, tau = 1 / (2 * pi * first) },
      { delta = middle - fast, tau = 1 / (2 * pi * 39.8 * first) },
    },
    valid = { 0, 1e12 },
    source = string.format("pure water, %g C: Liebe, Hufford & Manabe, Int. J. Infrared Millim. Waves 12, 659 (1991)",
      celsius),
  }
end
materials.water = materials.water_at(20)

-- ---- circuit boards ----

-- A loss tangent that hardly changes over many decades: epsilon_r and loss_tangent at the frequency `at` (Hz), from `from`
-- to `to` (default 10 MHz to 20 GHz). The model has an equal share of Debye terms for each decade between 1 kHz and 1 THz,
--   eps = eps_inf + K ln((w2 + jw)/(w1 + jw)),
-- here four terms for three decades from a decade below the band to one above. Slower ones are a conductivity in the band,
-- faster ones a constant.
function materials.djordjevic_sarkar(board)
  local at, from, to = board.at, board.from or 1e7, board.to or 2e10
  for _, key in ipairs { "epsilon_r", "loss_tangent", "at" } do
    if type(board[key]) ~= "number" or board[key] <= 0 then
      error("djordjevic_sarkar needs " .. key .. " > 0, as in { epsilon_r = 4.4, loss_tangent = 0.02, at = 1e9 }", 2)
    end
  end
  local low, high = 1e3, 1e12 -- Hz
  if not (low <= from / 10 and from <= at and at <= to and 10 * to <= high) then
    error(string.format("djordjevic_sarkar: from, at and to must rise, between %g and %g Hz", low * 10, high / 10), 2)
  end
  local real = 0.5 * log((high ^ 2 + at ^ 2) / (low ^ 2 + at ^ 2))
  local loss = math.atan(at / low) - math.atan(at / high)
  local share = board.epsilon_r * board.loss_tangent / loss -- K
  local infinite = board.epsilon_r - share * real
  local first, last = log(2 * pi * from / 10), log(2 * pi * to * 10)
  local terms = math.ceil((last - first) / log(10) * 4 / 3)
  local width, debye = (last - first) / terms, {}
  for i = 1, terms do
    debye[i] = { delta = share * width, tau = exp(-(first + (i - 0.5) * width)) }
  end
  local fast = share * (log(2 * pi * high) - last)
  if infinite + fast < 1 then
    error("djordjevic_sarkar: so large a loss tangent needs a smaller band, or is none of a circuit board", 2)
  end
  return {
    epsilon_r = infinite + fast,
    sigma = EPSILON_0 * share * (exp(first) - 2 * pi * low),
    debye = debye,
    valid = { from, to },
    source = "Djordjevic, Biljic, Likar-Smiljanic & Sarkar, IEEE Trans. EMC 43, 662 (2001)",
  }
end
materials.fr4 = materials.djordjevic_sarkar { epsilon_r = 4.4, loss_tangent = 0.02, at = 1e9 }

-- ---- tissues ----

-- The four Cole-Cole terms of each tissue by Debye terms { delta, tau }: `curlew fit --tolerance 0.01` from 10 MHz to 20
-- GHz, within 1 %.
local function tissue(name, epsilon_r, sigma, terms)
  local debye = {}
  for i, term in ipairs(terms) do debye[i] = { delta = term[1], tau = term[2] } end
  materials[name] = {
    epsilon_r = epsilon_r,
    sigma = sigma,
    debye = debye,
    valid = { 1e7, 2e10 },
    source = "Gabriel, Lau & Gabriel, Phys. Med. Biol. 41, 2271 (1996)",
  }
end

tissue("muscle", 8.795197, 0.5565328, {
  { 41.53039, 7.611185e-12 }, { 5.115661, 5.500834e-11 }, { 14.65474, 1.23598e-09 },
  { 192.4773, 1.549874e-08 },
})
tissue("fat", 2.968644, 0.0259803, {
  { 2.017511, 8.149624e-12 }, { 0.510865, 4.816411e-11 }, { 0.6095405, 1.192863e-09 },
  { 11.25396, 1.148014e-08 },
})
tissue("blood", 8.668633, 0.9512421, {
  { 46.2351, 8.425116e-12 }, { 6.825833, 5.192387e-11 }, { 20.11479, 1.212227e-09 },
  { 489.5688, 1.928761e-08 },
})
tissue("skin_dry", 5.066322, 0.04435582, {
  { 32.71932, 7.827226e-12 }, { 11.74671, 2.94269e-10 }, { 65.66128, 2.513811e-09 }, { 519.333, 1.657871e-08 },
})
tissue("skin_wet", 7.19863, 0.2613806, {
  { 31.96058, 7.895207e-12 }, { 5.638003, 4.040125e-11 }, { 9.73081, 4.426335e-10 },
  { 41.43587, 2.844319e-09 }, { 363.3924, 2.144229e-08 },
})
tissue("bone_cortical", 3.416718, 0.02933162, {
  { 5.533082, 9.126567e-12 }, { 3.253308, 3.49635e-11 }, { 1.496472, 3.325182e-10 },
  { 5.084886, 2.700804e-09 }, { 46.4139, 1.977184e-08 },
})
tissue("bone_cancellous", 4.275398, 0.1005668, {
  { 9.42607, 8.645173e-12 }, { 6.238433, 3.390316e-11 }, { 3.377565, 2.811098e-10 }, { 10.5774, 2.180077e-09 },
  { 72.89775, 1.575288e-08 },
})
tissue("grey_matter", 7.695491, 0.1858201, {
  { 36.89538, 7.889984e-12 }, { 6.552141, 4.024799e-11 }, { 11.29558, 4.385993e-10 },
  { 55.83109, 2.806918e-09 }, { 354.0262, 1.378716e-08 },
})
tissue("white_matter", 6.709297, 0.1158343, {
  { 26.39638, 7.929344e-12 }, { 4.756316, 4.1587e-11 }, { 7.720468, 4.409851e-10 }, { 39.67675, 2.936054e-09 },
  { 139.3116, 1.159241e-08 },
})
tissue("cerebellum", 7.48882, 0.2148302, {
  { 33.25402, 8.031379e-12 }, { 6.535391, 4.627268e-11 }, { 15.54722, 4.474286e-10 },
  { 83.08048, 2.81177e-09 }, { 548.2018, 1.345087e-08 },
})
tissue("cerebrospinal_fluid", 8.448628, 2.001034, {
  { 50.8564, 7.452318e-12 }, { 9.038657, 2.725466e-11 }, { 39.66308, 1.509893e-09 },
})
tissue("liver", 7.003925, 0.2248984, {
  { 31.85845, 8.553862e-12 }, { 6.504774, 4.191029e-11 }, { 11.07978, 4.357121e-10 },
  { 43.73212, 2.748961e-09 }, { 308.3577, 1.92203e-08 },
})
tissue("kidney", 8.076901, 0.3426971, {
  { 39.37608, 7.98021e-12 }, { 8.651865, 4.769766e-11 }, { 20.0913, 4.479098e-10 }, { 79.97949, 2.825933e-09 },
  { 565.3761, 1.995401e-08 },
})
tissue("heart", 8.271691, 0.3846491, {
  { 41.40768, 7.95938e-12 }, { 7.980091, 4.318969e-11 }, { 15.16585, 4.171567e-10 },
  { 57.98261, 2.601154e-09 }, { 386.6769, 1.840458e-08 },
})
tissue("lung_inflated", 3.962278, 0.1594046, {
  { 14.73083, 7.859482e-12 }, { 2.65286, 3.924204e-11 }, { 4.423965, 4.210222e-10 }, { 19.5413, 2.772062e-09 },
  { 236.1516, 2.226152e-08 },
})

-- ---- numbers ----

local function complex(z)
  if type(z) == "table" then return z[1], z[2] end
  return z, 0
end

-- p/q of complex numbers.
local function quotient(p_re, p_im, q_re, q_im)
  local square = q_re ^ 2 + q_im ^ 2
  return (p_re * q_re + p_im * q_im) / square, (p_im * q_re - p_re * q_im) / square
end

-- eps' and eps'' (positive for losses) of a material at the frequency f, Hz, f > 0.
function materials.permittivity(material, f)
  local w = 2 * pi * f
  local re, im = material.epsilon_r or 1, -(material.sigma or 0) / (w * EPSILON_0)
  local function add(p_re, p_im, q_re, q_im)
    local x, y = quotient(p_re, p_im, q_re, q_im)
    re, im = re + x, im + y
  end
  for _, term in ipairs(material.debye or {}) do add(term.delta, 0, 1, w * term.tau) end
  for _, term in ipairs(material.drude or {}) do add(term.omega_p ^ 2, 0, -w ^ 2, w * term.gamma) end
  for _, term in ipairs(material.lorentz or {}) do
    add(term.delta * term.omega_0 ^ 2, 0, term.omega_0 ^ 2 - w ^ 2, w * term.gamma)
  end
  for _, pole in ipairs(material.poles or {}) do
    local c_re, c_im = complex(pole.c)
    local a_re, a_im = complex(pole.a)
    add(c_re, c_im, -a_re, w - a_im)
    if a_im ~= 0 then add(c_re, -c_im, -a_re, w + a_im) end
  end
  return re, -im
end

return materials
