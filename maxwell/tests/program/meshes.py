"""Small meshes in Gmsh's MSH 4.1 format, written by hand so that a test can break them where it likes."""

TRIANGLE, TETRAHEDRON, HEXAHEDRON, TETRAHEDRON_10 = 2, 4, 5, 11

# A cube cut into six tetrahedra along its diagonal; corners are numbered x + 2 y + 4 z, all volumes are positive.
SIX = [(0, 1, 3, 7), (0, 3, 2, 7), (0, 2, 6, 7), (0, 6, 4, 7), (0, 4, 5, 7), (0, 5, 1, 7)]


class Mesh:
    def __init__(self):
        self.points = {}    # tag -> coordinates
        self.elements = []  # (dim, entity, type, tag, nodes)
        self.groups = []    # (dim, tag, name)
        self.member = {}    # (dim, entity) -> physical tags

    def point(self, tag, x, y, z):
        self.points[tag] = (x, y, z)

    def add(self, dim, entity, kind, nodes):
        self.member.setdefault((dim, entity), [])
        self.elements.append((dim, entity, kind, len(self.elements) + 1, tuple(nodes)))

    def group(self, dim, tag, name, entities):
        self.groups.append((dim, tag, name))
        for entity in entities:
            self.member.setdefault((dim, entity), []).append(tag)

    def text(self):
        lines = ["$MeshFormat", "4.1 0 8", "$EndMeshFormat"]
        if self.groups:
            lines += ["$PhysicalNames", str(len(self.groups))]
            lines += [f'{dim} {tag} "{name}"' for dim, tag, name in self.groups] + ["$EndPhysicalNames"]
        count = [sum(1 for dim, _ in self.member if dim == d) for d in range(4)]
        lines += ["$Entities", " ".join(map(str, count))]
        for (_, entity), tags in sorted(self.member.items()):
            lines.append(" ".join(map(str, [entity, 0, 0, 0, 1, 1, 1, len(tags), *tags, 0])))
        lines += ["$EndEntities", "$Nodes"]
        tags = sorted(self.points)
        dim, entity = max(self.member) if self.member else (3, 1)
        if tags:
            lines += [f"1 {len(tags)} {tags[0]} {tags[-1]}", f"{dim} {entity} 0 {len(tags)}", *map(str, tags)]
            lines += [" ".join(map(str, self.points[tag])) for tag in tags]
        else:
            lines.append("0 0 0 0")
        blocks = []
        for element in self.elements:
            if not blocks or blocks[-1][0][:3] != element[:3]:
                blocks.append([])
            blocks[-1].append(element)
        lines += ["$EndNodes", "$Elements", f"{len(blocks)} {len(self.elements)} 1 {len(self.elements)}"]
        for block in blocks:
            lines.append("{} {} {} ".format(*block[0][:3]) + str(len(block)))
            lines += [" ".join(map(str, (tag, *nodes))) for _, _, _, tag, nodes in block]
        return "\n".join(lines + ["$EndElements", ""])

    def text_2(self):
        """In MSH 2.2, as Gmsh writes it: an element stands there once for each group that it is in."""
        lines = ["$MeshFormat", "2.2 0 8", "$EndMeshFormat", "$PhysicalNames", str(len(self.groups))]
        lines += [f'{dim} {tag} "{name}"' for dim, tag, name in self.groups if name]
        lines += ["$EndPhysicalNames", "$Nodes", str(len(self.points))]
        lines += [" ".join(map(str, (tag, *x))) for tag, x in sorted(self.points.items())]
        all_of_them = [(kind, group, entity, nodes) for dim, entity, kind, _, nodes in self.elements
                       for group in self.member[(dim, entity)] or [0]]
        lines += ["$EndNodes", "$Elements", str(len(all_of_them))]
        lines += [" ".join(map(str, (number, kind, 2, group, entity, *nodes)))
                  for number, (kind, group, entity, nodes) in enumerate(all_of_them, 1)]
        return "\n".join(lines + ["$EndElements", ""])


def box(cells=(2, 1, 1), planes=None, left=lambda i, j, k: i == 0):
    """A box of unit cubes, or of those between these planes, a list for each of x, y and z from 0 on. Volume 1, "left",
    is the first layer in x or what left(i, j, k) says, volume 2, "right", the rest. Surface 1 is x = 0, 2 the other
    end, 3 the sides in y, 5 those in z, 4 (inside) what is between the volumes; the outer ones are "walls", 1 is also
    "port"."""
    planes = planes or [[float(i) for i in range(n + 1)] for n in cells]
    nx, ny, nz = (len(along) - 1 for along in planes)
    mesh = Mesh()

    def node(i, j, k):
        return 1 + i + (nx + 1) * (j + (ny + 1) * k)

    for k in range(nz + 1):
        for j in range(ny + 1):
            for i in range(nx + 1):
                mesh.point(node(i, j, k), planes[0][i], planes[1][j], planes[2][k])
    faces = {}
    for i in range(nx):
        for j in range(ny):
            for k in range(nz):
                for tet in SIX:
                    corners = [node(i + (c & 1), j + (c >> 1 & 1), k + (c >> 2)) for c in tet]
                    mesh.add(3, 1 if left(i, j, k) else 2, TETRAHEDRON, corners)
                    for drop in range(4):
                        face = tuple(sorted(corners[:drop] + corners[drop + 1:]))
                        faces.setdefault(face, []).append(left(i, j, k))
    for face, sides in sorted(faces.items()):
        x = [mesh.points[n][0] for n in face]
        if len(sides) == 1:
            flat_in_y = len({mesh.points[n][1] for n in face}) == 1
            surface = 1 if max(x) == 0 else 2 if min(x) == planes[0][-1] else 3 if flat_in_y else 5
            mesh.add(2, surface, TRIANGLE, face)
        elif sides[0] != sides[1]:
            mesh.add(2, 4, TRIANGLE, face)
    mesh.group(3, 11, "left", [1])
    if nx > 1:
        mesh.group(3, 12, "right", [2])
        mesh.group(2, 23, "between", [4])
    mesh.group(2, 21, "walls", [1, 2, 3, 5])
    mesh.group(2, 22, "port", [1])
    return mesh


def one_element(points=((0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)), nodes=(1, 2, 3, 4)):
    mesh = Mesh()
    for tag, point in enumerate(points, 1):
        mesh.point(tag, *point)
    mesh.add(3, 1, TETRAHEDRON, nodes)
    return mesh


def inverted():
    mesh = box()
    dim, entity, kind, tag, nodes = mesh.elements[6]
    mesh.elements[6] = (dim, entity, kind, tag, (nodes[1], nodes[0]) + nodes[2:])
    return mesh


def degenerate():
    return one_element(points=((0, 0, 0), (1, 0, 0), (0, 1, 0), (0.25, 0.25, 0)))


def missing_node():
    return one_element(nodes=(1, 2, 3, 9))


def three_on_a_face():
    mesh = one_element(points=((0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1), (0.3, 0.3, -1), (0.2, 0.2, -2)))
    mesh.add(3, 1, TETRAHEDRON, (1, 3, 2, 5))
    mesh.add(3, 1, TETRAHEDRON, (1, 3, 2, 6))
    return mesh


def touching():
    """Two tetrahedra that meet in a face but have their own nodes there."""
    mesh = one_element()
    for tag, point in enumerate(((0, 0, 0), (1, 0, 0), (0, 1, 0), (0.3, 0.3, -1)), 5):
        mesh.point(tag, *point)
    mesh.add(3, 2, TETRAHEDRON, (5, 7, 6, 8))
    return mesh


def not_finite(value):
    return one_element(points=((0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, value)))


def triangles_only():
    mesh = Mesh()
    for tag, point in enumerate(((0, 0, 0), (1, 0, 0), (0, 1, 0), (1, 1, 0)), 1):
        mesh.point(tag, *point)
    mesh.add(2, 1, TRIANGLE, (1, 2, 3))
    mesh.add(2, 1, TRIANGLE, (2, 4, 3))
    return mesh


def hexahedron():
    mesh = Mesh()
    for tag, point in enumerate(((0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (1, 1, 1),
                                 (0, 1, 1)), 1):
        mesh.point(tag, *point)
    mesh.add(3, 1, HEXAHEDRON, range(1, 9))
    return mesh


def second_order():
    mesh = Mesh()
    corner = ((0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1))
    edges = ((0, 1), (1, 2), (2, 0), (3, 0), (2, 3), (1, 3))
    points = list(corner) + [tuple((corner[a][d] + corner[b][d]) / 2 for d in range(3)) for a, b in edges]
    for tag, point in enumerate(points, 1):
        mesh.point(tag, *point)
    mesh.add(3, 1, TETRAHEDRON_10, range(1, 11))
    return mesh
