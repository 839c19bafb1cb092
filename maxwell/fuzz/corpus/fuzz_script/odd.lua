--[==[ long ]] comment ]==] local t = { a = 1, ["b"] = [[x]], [3] = 0x1p-4; [-1] = 'q\z
 w' }
local f = load "return 1"
print(f(), #t, pcall(error, { }), xpcall(error, print, 1), string.format("%q", "a\n"))
simulation({ mesh = { file = 'a.msh', parameters = { ["x/y"] = 1e-3 } }, order = 2, time = { steps = 3, step = "auto" },
  materials = { default = { epsilon_r = function(x) return x end }, [1] = {} }, flux = "centred", name = "n",
  output = { probes = { { name = "p", at = { 1, 2, 3 }, every = 2, frequencies = { from = 1, to = 2, points = 3 } } } },
  interfaces = { s = { kind = "pec" } }, initial = { E = function(x, y, z) return x, y, t.a end } })
