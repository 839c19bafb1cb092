-- The lowest modes of cavities with curved walls, from their exact fields; the wave number of the mode is read from the
-- record of a probe. case.py chooses; by hand: curlew run case.lua -D mode=TM1 -D order=4 -D geometry=4 -D size=0.5
local sin, cos, sqrt, pi = math.sin, math.cos, math.sqrt, math.pi
local mode = args.mode or "TM1"

-- Spherical Bessel function j1, and the derivative of x j1.
local function j1(x) return x < 1e-2 and x / 3 - x ^ 3 / 30 or sin(x) / x ^ 2 - cos(x) / x end
local function dxj1(x) return x < 1e-2 and 2 * x / 3 - 2 * x ^ 3 / 15 or cos(x) / x - sin(x) / x ^ 2 + sin(x) end

-- Bessel functions J0 and Y0 by their series (M. Abramowitz, I. Stegun, 9.1.10 and 9.1.13), for arguments up to 10.
local function bessel(x)
  local J, Y, term, sum = 1, 0, 1, 0
  for m = 1, 40 do
    term = -term * x * x / 4 / (m * m)
    sum = sum + 1 / m
    J = J + term
    Y = Y - sum * term
  end
  if x == 0 then return J, 0 end
  return J, 2 / pi * ((math.log(x / 2) + 0.57721566490153286) * J + Y)
end

local k = ({ TM1 = 2.7437072699922693, TE1 = 4.4934094579090642, can = 2.4048255576957728, coax = 6.2460618391913836 })[mode]
local fields = {
  -- E = curl curl (r j1(kr) cos theta) / k: E_r = 2 j1 cos(theta)/(kr), E_theta = -(kr j1)' sin(theta)/(kr)
  TM1 = function(x, y, z)
    local r, s = sqrt(x * x + y * y + z * z), sqrt(x * x + y * y)
    local kr = k * math.max(r, 1e-9)
    local radial, polar = 2 * j1(kr) / kr, -dxj1(kr) / kr
    if r < 1e-9 then return 0, 0, 2 / 3 end
    local c, t = z / r, s / r
    local e = (radial * c * t + polar * t * c) / math.max(s, 1e-12)
    return e * x, e * y, radial * c * c - polar * t * t
  end,
  -- E_phi = j1(kr) sin(theta)
  TE1 = function(x, y, z)
    local r = math.max(sqrt(x * x + y * y + z * z), 1e-12)
    local e = j1(k * r) / r
    return -y * e, x * e, 0
  end,
  can = function(x, y, z) return 0, 0, (bessel(k * sqrt(x * x + y * y))) end,
  coax = function(x, y, z)
    local J, Y = bessel(k * sqrt(x * x + y * y))
    local J1, Y1 = bessel(k)
    return 0, 0, J * Y1 - Y * J1
  end,
}
local magnet = { kind = "pmc" }
local metal = { kind = "pec" }
local probe = mode == "TE1" and { 0.3, 0.3, 0.2 } or { 0.55, 0.35, 0.2 }

simulation {
  name  = "curved",
  mesh  = { file = "case.geo", size = args.size or 0.5, geometry = args.geometry or 2,
            parameters = { shape = ({ can = 2, coax = 3 })[mode] or 1 } },
  order = args.order or 3,
  time  = { integrator = "lsrk", stop = (args.periods or ({ TE1 = 20, coax = 60 })[mode] or 6) * 2 * pi / (k * const.c0) },
  materials  = { inside = {} },
  boundaries = { walls = metal, mirrors = mode == "TE1" and metal or magnet, bottom = mode == "TE1" and magnet or metal },
  initial = { E = fields[mode] },
  output = { probes = { { name = "p", at = probe } }, progress = { every = 0 } },
}
