/** Draws a scatter plot with nothing but the standard library, and saves it as a picture. */
export const scatterPlot = `import random, struct, zlib

size, points = 64, [(random.randrange(64), random.randrange(64)) for _ in range(100)]
rows = [bytearray(b"\\xff" * size) for _ in range(size)]
for x, y in points:
    rows[y][x] = 0

def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

header = struct.pack(">IIBBBBB", size, size, 8, 0, 0, 0, 0)
pixels = zlib.compress(b"".join(b"\\0" + bytes(row) for row in rows))
with open("scatter.png", "wb") as file:
    file.write(b"\\x89PNG\\r\\n\\x1a\\n" + chunk(b"IHDR", header) + chunk(b"IDAT", pixels) + chunk(b"IEND", b""))
print("Scatter plot saved to scatter.png")`

export const fibonacci = `def fibonacci(n):
    a, b = 0, 1
    for _ in range(n - 1):
        a, b = b, a + b
    return a

print(fibonacci(14))`

/** A block for a message. */
export function fenced(language: string, code: string): string {
  return `\`\`\`${language}\n${code}\n\`\`\``
}
