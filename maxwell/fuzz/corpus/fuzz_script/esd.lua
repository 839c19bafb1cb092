-- An electrostatic discharge of 4 kV into the top of a metal cabinet with a slot in its front. How strong are the
-- fields inside, and how long do they last?
-- -D closed=1 covers the slot with metal. -D charge=8 (kV) is another level of the standard.
local kilovolts = args.charge or 4

-- IEC 61000-4-2:2008, annex B: the current of a contact discharge at 4 kV, A.
local function discharge(t)
  if t <= 0 then return 0.0 end
  local n = 1.8
  local function pulse(i, rise, fall)
    local k = math.exp(-rise / fall * (n * fall / rise) ^ (1 / n))
    local u = (t / rise) ^ n
    return i / k * u / (1 + u) * math.exp(-t / fall)
  end
  return pulse(16.6, 1.1e-9, 2e-9) + pulse(9.3, 12e-9, 37e-9)
end

-- The gun's arc strikes the top at (0.3, 0.1, 0.8); the return lead goes to the ground plane in front of the cabinet.
local path = { { 0.3, -0.4, 0 }, { 0.3, -0.4, 1.1 }, { 0.3, 0.1, 1.1 }, { 0.3, 0.1, 0.8 } }
local wires = {}
for i = 1, #path - 1 do
  wires[i] = { from = path[i], to = path[i + 1], amperes = kilovolts / 4, waveform = discharge }
end

local walls = { walls = { kind = "pec" } }
if args.closed then walls.slot = { kind = "pec" } end

simulation {
  name  = "esd",
  mesh  = { file = "esd.geo", parameters = { M = args.size or 0.25, H = args.slot or 0.1 } },
  order = args.order or 2,
  time  = { stop = args.stop or 50e-9 },

  materials  = { inside = {}, room = {} },
  boundaries = { ground = { kind = "pec" }, default = { kind = "absorbing" } },
  interfaces = walls,
  sources    = wires,

  output = {
    probes = {
      { name = "inside", at = { 0.27, 0.21, 0.37 }, every = 2 },
      { name = "front", at = { 0.3, -0.02, 0.3 }, every = 2 },
    },
    -- The current that flows down the cabinet, by Ampere's law: H around it, 0.15 m above the ground.
    currents = {
      { name = "cabinet", every = 2,
        path = { { -0.1, -0.1, 0.15 }, { 0.7, -0.1, 0.15 }, { 0.7, 0.5, 0.15 }, { -0.1, 0.5, 0.15 } } },
    },
    fields = { every = 1000, quantities = { "E", "H" } },
  },
}
