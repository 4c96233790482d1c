"""Loops over pixels: triangles into a buffer with depths, the floor, and the picture of both.

Depths are kept as reciprocals 1/z [1/m], which are linear on the screen; 0 is infinitely far. Rows count from the top.
"""

from __future__ import annotations

import math

from signorini.compiled import kernel

PLAIN, WOVEN, CHECKS, STRIPES = range(4)
"""Patterns of surfaces."""


@kernel
def pattern_brightness(pattern, u, v, strength):
    """Factor of the colour at a place (u, v) of a pattern, in units of its period; `strength` 1 is full contrast, 0 none."""
    if pattern == WOVEN:
        # Two systems of threads: where one is on top, the other is in its shadow.
        a, b = math.floor(2.0 * u), math.floor(2.0 * v)
        warp, weft = 2.0 * u - a - 0.5, 2.0 * v - b - 0.5  # from the middle of a thread, −0.5 to 0.5
        over = 0.64 if (a + b) % 2.0 == 0.0 else -0.64
        return 1.0 + strength * (over * (weft * weft - warp * warp) - 0.03)
    if pattern == CHECKS:
        return 1.0 - strength * (0.16 * ((math.floor(u) % 2.0) + (math.floor(v) % 2.0)))
    if pattern == STRIPES:
        return 1.0 - strength * 0.3 * (math.floor(u) % 2.0)
    return 1.0


@kernel
def draw_triangles(screen, triangles, front, back, places, corners, pattern, strength, depth, color):
    """Draw triangles (t, 3) of points screen (n, 3) with x, y [pixels] and 1/z, with colours (n, 3) of both sides, 0 to 255.

    places (k, 2) in the pattern belong to the corners (t, 3) of the triangles; strength (n,) is its contrast at the points.
    `depth` (h, w) and `color` (h, w, 3) are changed where a triangle is nearer than what is there.
    """
    height, width = depth.shape
    for t in range(len(triangles)):
        a, b, c = triangles[t, 0], triangles[t, 1], triangles[t, 2]
        if screen[a, 2] <= 0.0 or screen[b, 2] <= 0.0 or screen[c, 2] <= 0.0:
            continue
        ax, ay, bx, by, cx, cy = screen[a, 0], screen[a, 1], screen[b, 0], screen[b, 1], screen[c, 0], screen[c, 1]
        area = (bx - ax) * (cy - ay) - (cx - ax) * (by - ay)
        if abs(area) < 1e-12:
            continue
        left, right = max(math.ceil(min(ax, bx, cx) - 0.5), 0), min(int(max(ax, bx, cx) - 0.5), width - 1)
        top, bottom = max(math.ceil(min(ay, by, cy) - 0.5), 0), min(int(max(ay, by, cy) - 0.5), height - 1)
        if right < left or bottom < top:
            continue
        side = front if area < 0.0 else back  # rows count downwards: counter-clockwise is negative
        inverse = 1.0 / area
        # Weights of b and c are linear on the screen.
        wb_x, wb_y = (cy - ay) * inverse, -(cx - ax) * inverse
        wc_x, wc_y = -(by - ay) * inverse, (bx - ax) * inverse
        za, zb, zc = screen[a, 2], screen[b, 2], screen[c, 2]
        for j in range(top, bottom + 1):
            y = j + 0.5 - ay
            for i in range(left, right + 1):
                x = i + 0.5 - ax
                wb = x * wb_x + y * wb_y
                wc = x * wc_x + y * wc_y
                wa = 1.0 - wb - wc
                if wa < 0.0 or wb < 0.0 or wc < 0.0:
                    continue
                z = wa * za + wb * zb + wc * zc
                if z <= depth[j, i]:
                    continue
                depth[j, i] = z
                factor = 1.0
                if pattern != PLAIN:
                    pa, pb, pc = corners[t, 0], corners[t, 1], corners[t, 2]
                    u = wa * places[pa, 0] + wb * places[pb, 0] + wc * places[pc, 0]
                    v = wa * places[pa, 1] + wb * places[pb, 1] + wc * places[pc, 1]
                    contrast = wa * strength[a] + wb * strength[b] + wc * strength[c]
                    factor = pattern_brightness(pattern, u, v, contrast)
                for k in range(3):
                    value = 0.5 + factor * (wa * side[a, k] + wb * side[b, k] + wc * side[c, k])
                    color[j, i, k] = min(max(value, 0.0), 255.0)


@kernel
def draw_floor(eye, right, up, forward, slope, normal, height, u, v, middle, look, dark, pale, ground, depth, places):
    """Draw a plane into `ground` (h, w, 3), 0 to 255, with its `depth` (2h, 2w), 1/z, and its `places` (h, w, 2) [m].

    slope (2,): tangent of half the angle of view across and upwards. look (3,): tile [m], radius at which the chequer begins to
    fade and that at which it has [m]. Four samples a pixel, each with a depth of its own: seen aslant, a plane is much farther
    at the upper edge of a pixel than at its lower one.
    """
    rows, columns = ground.shape[0], ground.shape[1]
    above = height - (normal[0] * eye[0] + normal[1] * eye[1] + normal[2] * eye[2])
    level = normal[0] * forward[0] + normal[1] * forward[1] + normal[2] * forward[2]
    tilt_x = normal[0] * right[0] + normal[1] * right[1] + normal[2] * right[2]
    tilt_y = normal[0] * up[0] + normal[1] * up[1] + normal[2] * up[2]
    for j in range(rows):
        for i in range(columns):
            total = 0.0
            weight = 0.0
            for k in range(5):  # four corners for the colour, then the middle for depth and place
                ox = 0.5 if k == 4 else 0.25 + 0.5 * (k % 2)
                oy = 0.5 if k == 4 else 0.25 + 0.5 * (k // 2)
                sx, sy = slope[0] * (2.0 * (i + ox) / columns - 1.0), slope[1] * (1.0 - 2.0 * (j + oy) / rows)
                dx = forward[0] + sx * right[0] + sy * up[0]
                dy = forward[1] + sx * right[1] + sy * up[1]
                dz = forward[2] + sx * right[2] + sy * up[2]
                fall = normal[0] * dx + normal[1] * dy + normal[2] * dz
                if fall >= -1e-9:
                    continue
                t = above / fall
                px, py, pz = eye[0] + t * dx - middle[0], eye[1] + t * dy - middle[1], eye[2] + t * dz - middle[2]
                a, b = px * u[0] + py * u[1] + pz * u[2], px * v[0] + py * v[1] + pz * v[2]
                far = (math.sqrt(a * a + b * b) - look[1]) / (look[2] - look[1])
                far = min(max(far, 0.0), 1.0)
                if k == 4:
                    before = 0.0
                    for m in range(4):
                        before += 0.25 * depth[2 * j + m // 2, 2 * i + m % 2]
                    if far < 1.0 and 1.0 / t > before:
                        for m in range(4):  # 1/z of a plane is linear on the screen
                            mx = slope[0] * (2.0 * (i + 0.25 + 0.5 * (m % 2)) / columns - 1.0)
                            my = slope[1] * (1.0 - 2.0 * (j + 0.25 + 0.5 * (m // 2)) / rows)
                            sink = level + mx * tilt_x + my * tilt_y
                            depth[2 * j + m // 2, 2 * i + m % 2] = max(sink / above, 0.0)
                        places[j, i, 0], places[j, i, 1] = a, b
                        fade = total / 4.0
                        full = weight / 4.0
                        for channel in range(3):
                            own = pale[channel] * (full - fade) + dark[channel] * fade
                            ground[j, i, channel] = own + (1.0 - full) * ground[j, i, channel]
                    continue
                keep = 1.0 - far * far * (3.0 - 2.0 * far)
                first = middle[0] * u[0] + middle[1] * u[1] + middle[2] * u[2]
                second = middle[0] * v[0] + middle[1] * v[1] + middle[2] * v[2]
                odd = (math.floor((a + first) / look[0]) + math.floor((b + second) / look[0])) % 2.0
                total += keep * odd
                weight += keep


@kernel
def add_shadow(places, depth, plane_depth, shade, half, tint, ground, out):
    """Copy `ground` (h, w, 3) to `out`, darkened where the map `shade` (c, c) of the square ±half [m] of a plane says so."""
    rows, columns = ground.shape[0], ground.shape[1]
    cells = len(shade)
    for j in range(rows):
        for i in range(columns):
            dark = 0.0
            nearest = depth[2 * j + 1, 2 * i]  # of a sample of the pixel
            if nearest > 0.0 and nearest == plane_depth[2 * j + 1, 2 * i]:
                x = (places[j, i, 0] / half + 1.0) * 0.5 * cells - 0.5
                y = (places[j, i, 1] / half + 1.0) * 0.5 * cells - 0.5
                k, m = math.floor(x), math.floor(y)
                if 0 <= k < cells - 1 and 0 <= m < cells - 1:
                    s, t = x - k, y - m
                    low = (1.0 - s) * shade[m, k] + s * shade[m, k + 1]
                    high = (1.0 - s) * shade[m + 1, k] + s * shade[m + 1, k + 1]
                    dark = (1.0 - t) * low + t * high
            for channel in range(3):
                out[j, i, channel] = (1.0 - dark) * ground[j, i, channel] + dark * tint[channel]


@kernel
def resolve(depth, color, floor_depth, ground, image):
    """The picture (h, w, 3), 0 to 255: the means of 2 × 2 samples of `color`, where those are nearer than the floor."""
    rows, columns = ground.shape[0], ground.shape[1]
    for j in range(rows):
        for i in range(columns):
            covered = 0
            red, green, blue = 0.0, 0.0, 0.0
            for k in range(4):
                y, x = 2 * j + k // 2, 2 * i + k % 2
                if depth[y, x] > floor_depth[y, x]:
                    covered += 1
                    red += color[y, x, 0]
                    green += color[y, x, 1]
                    blue += color[y, x, 2]
            rest = 4 - covered
            image[j, i, 0] = 0.25 * (red + rest * ground[j, i, 0]) + 0.5
            image[j, i, 1] = 0.25 * (green + rest * ground[j, i, 1]) + 0.5
            image[j, i, 2] = 0.25 * (blue + rest * ground[j, i, 2]) + 0.5
