"""STEP files (ISO 10303-21, AP214) with boxes that have names and colours, as CAD programs write them: each solid a part of its
own (PRODUCT), or several solids in one part, which then have names of their own (MANIFOLD_SOLID_BREP)."""

HEAD = """ISO-10303-21;
HEADER;
FILE_DESCRIPTION((''),'2;1');
FILE_NAME('boxes','2024-01-01T00:00:00',(''),(''),'','','');
FILE_SCHEMA(('AUTOMOTIVE_DESIGN { 1 0 10303 214 1 1 1 1 }'));
ENDSEC;
DATA;
"""


class Writer:
    def __init__(self):
        self.lines = []
        self.application = self.add("APPLICATION_CONTEXT('automotive_design')")
        self.add(f"APPLICATION_PROTOCOL_DEFINITION('international standard','automotive_design',2000,{self.application})")
        self.context = self.make_context()

    def add(self, text):
        self.lines.append(f"#{len(self.lines) + 1}={text};")
        return f"#{len(self.lines)}"

    def make_context(self):
        length = self.add("(LENGTH_UNIT()NAMED_UNIT(*)SI_UNIT(.MILLI.,.METRE.))")
        angle = self.add("(NAMED_UNIT(*)PLANE_ANGLE_UNIT()SI_UNIT($,.RADIAN.))")
        solid = self.add("(NAMED_UNIT(*)SI_UNIT($,.STERADIAN.)SOLID_ANGLE_UNIT())")
        exact = self.add(f"UNCERTAINTY_MEASURE_WITH_UNIT(LENGTH_MEASURE(1.E-07),{length},'distance_accuracy_value','')")
        return self.add(f"(GEOMETRIC_REPRESENTATION_CONTEXT(3)GLOBAL_UNCERTAINTY_ASSIGNED_CONTEXT(({exact}))"
                        f"GLOBAL_UNIT_ASSIGNED_CONTEXT(({length},{angle},{solid}))REPRESENTATION_CONTEXT('',''))")

    def point(self, x):
        return self.add("CARTESIAN_POINT('',({},{},{}))".format(*(f"{float(value):.6f}" for value in x)))

    def direction(self, x):
        return self.add("DIRECTION('',({},{},{}))".format(*(f"{float(value):.6f}" for value in x)))

    def axes(self, origin, z, x):
        return self.add(f"AXIS2_PLACEMENT_3D('',{self.point(origin)},{self.direction(z)},{self.direction(x)})")

    def box(self, low, high, name):
        """A solid; returns it and its faces, in the order -x, +x, -y, +y, -z, +z."""
        corners = [[(low, high)[c >> d & 1][d] for d in range(3)] for c in range(8)]
        vertices = [self.add(f"VERTEX_POINT('',{self.point(x)})") for x in corners]
        edges = {}
        for a in range(8):
            for d in range(3):
                b = a | 1 << d
                if a == b:
                    continue
                along = self.direction([float(i == d) for i in range(3)])
                line = self.add(f"LINE('',{self.point(corners[a])},{self.add(f'VECTOR({chr(39)*2},{along},1.)')})")
                edges[a, b] = self.add(f"EDGE_CURVE('',{vertices[a]},{vertices[b]},{line},.T.)")
        faces = []
        for d in range(3):
            u, v = 1 << (d + 1) % 3, 1 << (d + 2) % 3
            for side in range(2):
                first = side << d
                loop = [first, first | u, first | u | v, first | v]
                loop = loop if side else loop[::-1]
                parts = []
                for a, b in zip(loop, loop[1:] + loop[:1]):
                    forward = (a, b) in edges
                    parts.append(self.add(f"ORIENTED_EDGE('',*,*,{edges[(a, b) if forward else (b, a)]},"
                                          f"{'.T.' if forward else '.F.'})"))
                bound = self.add(f"FACE_OUTER_BOUND('',{self.add(f'EDGE_LOOP({chr(39)*2},({chr(44).join(parts)}))')},.T.)")
                normal = [float(i == d) * (1 if side else -1) for i in range(3)]
                plane = self.add(f"PLANE('',{self.axes(corners[first], normal, [float(i == (d + 1) % 3) for i in range(3)])})")
                faces.append(self.add(f"ADVANCED_FACE('',({bound}),{plane},.T.)"))
        shell = self.add(f"CLOSED_SHELL('',({','.join(faces)}))")
        return self.add(f"MANIFOLD_SOLID_BREP('{name}',{shell})"), faces

    def product(self, name, solids):
        items = ",".join([self.axes((0, 0, 0), (0, 0, 1), (1, 0, 0)), *solids])
        shape = self.add(f"ADVANCED_BREP_SHAPE_REPRESENTATION('{name}',({items}),{self.context})")
        context = self.add(f"PRODUCT_CONTEXT('',{self.application},'mechanical')")
        product = self.add(f"PRODUCT('{name}','{name}','',({context}))")
        formation = self.add(f"PRODUCT_DEFINITION_FORMATION('','',{product})")
        defining = self.add(f"PRODUCT_DEFINITION_CONTEXT('part definition',{self.application},'design')")
        definition = self.add(f"PRODUCT_DEFINITION('design','',{formation},{defining})")
        self.add(f"SHAPE_DEFINITION_REPRESENTATION({self.add(f'PRODUCT_DEFINITION_SHAPE({chr(39)*2},{chr(39)*2},{definition})')}"
                 f",{shape})")

    def colour(self, item, rgb):
        colour = self.add("COLOUR_RGB('',{:.6f},{:.6f},{:.6f})".format(*rgb))
        fill = self.add(f"FILL_AREA_STYLE_COLOUR('',{colour})")
        area = self.add(f"SURFACE_STYLE_FILL_AREA({self.add(f'FILL_AREA_STYLE({chr(39)*2},({fill}))')})")
        usage = self.add(f"SURFACE_STYLE_USAGE(.BOTH.,{self.add(f'SURFACE_SIDE_STYLE({chr(39)*2},({area}))')})")
        styled = self.add(f"STYLED_ITEM('color',({self.add(f'PRESENTATION_STYLE_ASSIGNMENT(({usage}))')}),{item})")
        self.add(f"MECHANICAL_DESIGN_GEOMETRIC_PRESENTATION_REPRESENTATION('',({styled}),{self.context})")

    def text(self):
        return HEAD + "\n".join(self.lines) + "\nENDSEC;\nEND-ISO-10303-21;\n"


def boxes(solids, part=None):
    """Solids are (name, low, high, colour or None, {face: colour}). With `part` they are all in one part of that name."""
    writer, written = Writer(), []
    for name, low, high, colour, faces in solids:
        solid, sides = writer.box(low, high, name if part else "")
        if not part:
            writer.product(name, [solid])
        if colour is not None:
            writer.colour(solid, colour)
        for face, own in faces.items():
            writer.colour(sides[face], own)
        written.append(solid)
    if part:
        writer.product(part, written)
    return writer.text()
