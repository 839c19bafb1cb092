"""Cases of hostile.py: geometries and scripts that would start programs, or read and write files that are not theirs.

Every case is a dictionary: its name; files, by their path below the folder of the case (case/ is the script's own folder,
outside/ and home/ are not); links; the arguments; a piece of what the program must say; its exit codes; files outside
that it may read. In texts, @ROOT@
is the folder of the case. What must never be read holds SECRET."""
import meshes

SECRET = "5ecret"
BOX = meshes.box().text()
CUBE = 'SetFactory("OpenCASCADE");\nBox(1) = {0, 0, 0, 1, 1, 1};\n'
SCRIPT = """simulation {
  mesh = { file = "%s" }, order = 1, time = { steps = 2 }, materials = { default = {} },
  boundaries = { default = { kind = "pec" } },
  initial = { E = function(x, y, z) return 0, 0, x end },
}
"""
OUTSIDE = {
    "outside/secret.txt": f"{SECRET} text\n",
    "outside/secret.csv": f"time,{SECRET}\n0,0\n1e-9,1\n",
    "outside/secret.lua": f"return '{SECRET}'\n",
    "outside/secret.geo": f"// {SECRET}\n{CUBE}",
    "outside/secret.msh": BOX,
    "outside/program.sh": "#!/bin/sh\ntouch @ROOT@/outside/started\n",
    "home/keep.txt": "of the user\n",
}
CASES = []


def case(name, files, says="", codes=(2,), links=None, arguments=(), check=True, reads=()):
    CASES.append({"name": name, "files": {**OUTSIDE, **files}, "says": says, "codes": codes, "links": links or {},
                  "arguments": ["check" if check else "run", "case/case.lua", "--output", "out", *arguments],
                  "reads": reads})


def mesh(name, file, files, *rest, **more):
    case(name, {"case/case.lua": SCRIPT % file, **{f"case/{key}": text for key, text in files.items()}}, *rest, **more)


# ---- what a geometry would do, and what the program says of it once the text alone does not show it

START, WRITE = "tried to start a program", "tried to write the file"
CHANGE, READ = "tried to change or make files", "may not read '@ROOT@/outside/secret"
PAYLOADS = {
    "SystemCall": ('SystemCall "touch @ROOT@/outside/started";', START),
    "SystemCall composed": ('SystemCall StrCat("touch @ROOT@/out", "side/started");', START),
    "SystemCall with parentheses": ('SystemCall("sh @ROOT@/outside/program.sh");', ""),
    "NonBlockingSystemCall": ('NonBlockingSystemCall "touch @ROOT@/outside/started";', START),
    "Save": ('Save "@ROOT@/outside/saved.msh";', WRITE),
    "Save over a file": (CUBE + 'Save "@ROOT@/outside/secret.msh";', WRITE),
    "Save into its folder": (CUBE + 'Save "saved.msh";', WRITE),
    "Print": ('Print "@ROOT@/outside/printed.msh";', WRITE),
    "Printf": ('Printf("x") > "@ROOT@/outside/printed.txt";', WRITE),
    "Printf at the end": ('Printf("x") >> "@ROOT@/outside/secret.txt";', WRITE),
    "Printf into its folder": ('Printf("x") > "printed.txt";', WRITE),
    "CreateDir": ('CreateDir "@ROOT@/outside/made";', CHANGE),
    "TmpFileName": ('General.TmpFileName = "/../@ROOT@/outside/secret.txt"; Exit;', ""),
    "Merge of a text": ('Merge "@ROOT@/outside/secret.txt";', READ),
    "Merge of a geometry": ('Merge "@ROOT@/outside/secret.geo";', READ),
    "Merge upwards": ('Merge "../outside/secret.geo";', READ),
    "Include": ('Include "@ROOT@/outside/secret.geo";', READ),
    "MergeWithBoundingBox": ('MergeWithBoundingBox "@ROOT@/outside/secret.msh";', READ),
    "ShapeFromFile": ('SetFactory("OpenCASCADE"); v() = ShapeFromFile("../outside/secret.geo");', ""),
    "Merge of passwords": ('Merge "/etc/passwd";', "may not read '/etc/passwd'"),
    "Merge of the environment": ('Merge "/proc/self/environ";', "may not read '/proc/"),
    "solver": ('Solver.Executable0 = "sh @ROOT@/outside/program.sh"; Solver.AlwaysListen = 1; OnelabRun("x");', ""),
}
PAYLOADS.update({
    "field of sizes": (CUBE + "Field[1] = Structured; Field[1].FileName = \"@ROOT@/outside/secret.txt\"; Background Field = 1;", ""),
    "environment": ('s = GetEnv("CURLEW_TEST_ENVIRONMENT"); Error(s); Printf(s);', ""),
    "environment as a name": (CUBE + 'Physical Volume(Str(GetEnv("CURLEW_TEST_ENVIRONMENT"))) = {1};', ""),
    "descriptor": ('Printf("x") > "/proc/self/fd/3";', "tried to write the file '/proc/self/fd/3'"),
    "descriptor that is read": ('Merge "/proc/self/fd/0";', "may not read '"),
    "options of the program": ('General.OptionsFileName = "/../@ROOT@/home/options"; General.SaveOptions = 1; '
                               'General.SaveSession = 1; Exit;', ""),
    "file of errors": ('General.ErrorFileName = "/../@ROOT@/home/errors"; Error("x"); Exit;', ""),
})
ALL = ["SystemCall", "Save", "Printf", "CreateDir", "TmpFileName", "Merge upwards"]  # one of each kind

for name, (text, says) in PAYLOADS.items():
    # Plainly: where the text shows it, the message comes before Gmsh is started.
    mesh(f"plain: {name}", "a.geo", {"a.geo": text + "\n" + CUBE}, codes=(0, 2))
    # The name of the file that has it is composed: the text shows nothing.
    mesh(f"hidden: {name}", "a.geo", {"a.geo": 'Merge StrCat("hid", "den.geo");\n' + CUBE, "hidden.geo": text + "\n"},
         says, codes=(0, 2) if not says else (2,))
    mesh(f"zero byte: {name}", "a.geo", {"a.geo": b"x = 1;\0\n" + (text + "\n" + CUBE).encode()}, "byte 7 is zero")
    mesh(f"zero byte in an included file: {name}", "a.geo",
         {"a.geo": 'Include "b.geo";\n' + CUBE, "b.geo": b"x = 1;\0\n" + text.encode() + b"\n"}, "a byte that is zero")

# ---- names by which Gmsh, or somebody else, would take a file for something else than it is

KNOWN = ("msh MSH step STEP stp STP brep brp BRP iges IGES igs IGS xao stl STL wrl vrml unv UNV vtk VTK mesh MESH bdf BDF nas "
         "med mmed rmed cgns CGNS").split()
SPELLED = "Step sTep STp Brep BREP Iges XaO Stl Wrl Unv Vtk Mesh Bdf Med Cgns Geo gEO Msh mSh".split()
UNKNOWN = ("txt opt pos py m exe gz zip pro pch csv dat p3d off ply ply2 sat x_t neu su2 inp diff geom rle nii jpg png pnm "
           "geo.gz geo.opt geo~ geo.bak").split()
for end in KNOWN:
    mesh(f"script in .{end}", f"evil.{end}", {f"evil.{end}": PAYLOADS["SystemCall"][0] + "\n" + CUBE},
         "its name and its content disagree")
for end in SPELLED:
    mesh(f"script in .{end}", f"evil.{end}", {f"evil.{end}": PAYLOADS["SystemCall"][0] + "\n" + CUBE},
         "which Gmsh does not know: name it")
for end in UNKNOWN:
    mesh(f"script in .{end}", f"evil.{end}", {f"evil.{end}": PAYLOADS["SystemCall"][0] + "\n" + CUBE},
         "from which its format can be told")
mesh("script without an end", "evil", {"evil": PAYLOADS["SystemCall"][0]}, "from which its format can be told")

# Right beginnings with a script behind them.
HEADERS = {"msh": "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n", "step": "ISO-10303-21;\n", "brep": "CASCADE Topology V1\n",
           "stl": "solid\n", "unv": "    -1\n", "vtk": "# vtk DataFile Version 2.0\n", "mesh": "MeshVersionFormatted 2\n",
           "bdf": "$ comment\n", "wrl": "#VRML V2.0 utf8\n", "xao": "<?xml version='1.0'?>\n",
           "med": "\x89HDF\r\n\x1a\n", "cgns": "\x89HDF\r\n\x1a\n", "iges": " " * 72 + "S      1\n"}
for end, header in HEADERS.items():
    for payload in ("SystemCall", "Save"):
        mesh(f"header and script in .{end}: {payload}", f"evil.{end}",
             {f"evil.{end}": header.encode("latin-1") + (PAYLOADS[payload][0] + "\n").encode()})
for header in ("$MeshFormat\n", "$NOD\n", "$PostFormat\n", "$View\n", "$Comments\n"):
    mesh(f"{header.strip()} and script in .geo", "a.geo", {"a.geo": header + PAYLOADS["SystemCall"][0] + "\n" + CUBE},
         "not as a script")
for end in ("msh", "step", "brep", "txt", "Step", "pos", "unv", "opt"):
    for how in ("Merge", "Include"):
        mesh(f"{how} of a script in .{end}", "a.geo",
             {"a.geo": f'{how} "b.{end}";\n{CUBE}', f"b.{end}": PAYLOADS["SystemCall"][0] + "\n"})
mesh("script as part of a mesh", "parts.msh", {"parts_1.msh": PAYLOADS["SystemCall"][0] + "\n"})
mesh("header and script as part of a mesh", "parts.msh",
     {"parts_1.msh": HEADERS["msh"] + "$PartitionedEntities\n1\n" + PAYLOADS["SystemCall"][0] + "\n"})

# ---- files beside, in the home and in the current folder, that nobody has named

IGNORED = "are not read"
for payload in ALL:
    text = PAYLOADS[payload][0] + "\n"
    mesh(f"sidecar: {payload}", "a.geo", {"a.geo": CUBE, "a.geo.opt": text}, IGNORED, (0,))
    mesh(f"sidecar of a mesh: {payload}", "a.msh", {"a.msh": BOX, "a.msh.opt": text}, IGNORED, (0,))
    mesh(f"sidecar of a merged file: {payload}", "a.geo",
         {"a.geo": 'Merge "b.geo";\n', "b.geo": CUBE, "b.geo.opt": text}, IGNORED, (0,))
    for place in ("home", "case", "."):
        case(f"options in {place}: {payload}",
             {"case/case.lua": SCRIPT % "a.geo", "case/a.geo": CUBE, f"{place}/.gmshrc": text,
              f"{place}/.gmsh-options": text, f"{place}/.gmsh-session": text}, "", (0,))

# ---- links

for target in ("secret.geo", "secret.msh", "secret.txt"):
    end = target[6:]
    mesh(f"link to outside: {end}", f"link{end}", {}, "", links={f"case/link{end}": f"../outside/{target}"})
    mesh(f"merged link to outside: {end}", "a.geo", {"a.geo": f'Merge "link{end}";\n'},
         links={f"case/link{end}": f"../outside/{target}"})
    mesh(f"merged folder to outside: {end}", "a.geo", {"a.geo": f'Merge "folder/{target}";\n'},
         links={"case/folder": "../outside"})
    mesh(f"named by its whole path: {end}", f"@ROOT@/outside/{target}", {}, "lies outside of the script's folder")
    mesh(f"named upwards: {end}", f"../outside/{target}", {}, "lies outside of the script's folder")
mesh("part that is a link", "parts.msh", {}, links={"case/parts_1.msh": "../outside/secret.msh"})
mesh("device", "/dev/zero", {}, "lies outside of the script's folder")
mesh("passwords", "/etc/passwd", {}, "lies outside of the script's folder")

# ---- scripts

SPY = """local function spy(f) return function(...) print(...) return f(...) end end
for _, library in ipairs { string, table, math, utf8 } do
  for name, f in next, library do if type(f) == "function" then library[name] = spy(f) end end
end
local names = {}
for name, f in next, _G do if type(f) == "function" and name ~= "print" and name ~= "simulation" then names[name] = f end end
for name, f in next, names do _G[name] = spy(f) end
"""
BEYOND, TRUST = "outside of", "--trust"
for place in ("../outside/", "@ROOT@/outside/", "folder/"):
    links = {"case/folder": "../outside"}
    for spied, head in (("", ""), (", spied on", SPY)):
        def script(name, text, *rest, **more):
            case(f"script: {name} in {place}{spied}", {"case/case.lua": head + text + "\n" + SCRIPT % "box.msh",
                                                      "case/box.msh": BOX}, *rest, links=links, check=False, **more)
        script("csv", f"waveform.csv {{ file = '{place}secret.csv' }}", BEYOND)
        script("csv of a text", f"waveform.csv {{ file = '{place}secret.txt' }}", BEYOND)
        script("csv, protected", f"print(pcall(waveform.csv, {{ file = '{place}secret.csv' }}))", "", (0,))
        script("dofile", f"print(dofile '{place}secret.lua')", BEYOND)
        script("loadfile", f"print(pcall(loadfile, '{place}secret.txt'))", "", (0, 2))
        script("io.open", f"print(io.open('{place}secret.txt'):read 'a')", TRUST)
        script("io.lines", f"for line in io.lines '{place}secret.txt' do print(line) end", TRUST)
        script("os.remove", f"os.remove '{place}secret.txt'", TRUST)
        script("os.execute", f"os.execute 'sh {place}program.sh'", TRUST)
        script("io.popen", f"io.popen 'sh {place}program.sh'", TRUST)
        script("package.loadlib", f"package.loadlib('{place}secret.txt', '*')", TRUST)
for name, text in {
    "require": "print(require 'folder.secret')",
    "require upwards": "print(require '../outside/secret')",
    "compiled Lua": "load('\\27Lua')()",
    "compiled Lua of its own": "load(string.dump(function() end), 'x', 'b')()",
    "string metatable": "getmetatable('').__index = function() print(debug.traceback()) return print end",
    "finalizer": "setmetatable({}, { __gc = function() os.execute 'x' end })",
    "registry": "print(debug.getregistry()._LOADED.io)",
    "searcher": "table.insert(package.searchers, 1, print)",
    "library by another name": "for k, v in next, _G do if k == 'io' then v.open 'x' end end",
    "upvalues": "print(debug.getupvalue(waveform.csv, 1))",
    "environment": "local _ENV = {} print(io.open 'x')",
    "error with a name": "error(setmetatable({}, { __tostring = function() return io.open 'x' end }))",
    "closing": "local x <close> = setmetatable({}, { __close = function() os.execute 'x' end })",
}.items():
    case(f"script: {name}", {"case/case.lua": text + "\n" + SCRIPT % "box.msh", "case/box.msh": BOX},
         links={"case/folder": "../outside"}, check=False)
for name in ("../outside/x", "@ROOT@/outside/x", "..", "."):
    case(f"script: named {name}", {"case/case.lua": (SCRIPT % "box.msh").replace("order", f"name = '{name}', order", 1),
                                   "case/box.msh": BOX}, "name", check=False)
    case(f"script: probe named {name}", {"case/case.lua": (SCRIPT % "box.msh").replace(
        "order", f"output = {{ probes = {{ {{ name = '{name}', at = {{ 0.4, 0.3, 0.2 }} }} }} }}, order", 1),
        "case/box.msh": BOX}, "name", check=False)

# ---- what must go on working

mesh("good: includes and merges of its folder", "a.geo",
     {"a.geo": 'Include "sub/size.geo";\nMerge "sub/box.geo";\n', "sub/size.geo": "s = 1;\n", "sub/box.geo": CUBE}, "", (0,))
mesh("good: link in its folder", "link.geo", {"sub/box.geo": CUBE}, "", (0,), links={"case/link.geo": "sub/box.geo"})
mesh("good: options that are asked for", "a.geo", {"a.geo": 'Merge "mine.opt";\n' + CUBE,
                                                   "mine.opt": "Mesh.MeshSizeFactor = 1;\n"}, "", (0,))
case("good: the user's own word", {"case/case.lua": SCRIPT % "box.msh"}, "", (0,),
     arguments=["--set", "mesh.file=../outside/secret.msh"], reads=["outside/secret.msh", "outside"])
