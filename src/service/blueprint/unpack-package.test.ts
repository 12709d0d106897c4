import { deflateRawSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type RawArchive, type RawEntry, rawZip, u16, u32 } from "../../../test/support/raw-zip.ts";
import { packPackage } from "./pack-package.ts";
import { unpackPackage } from "./unpack-package.ts";

const text = (content: string) => new TextEncoder().encode(content);
const MANIFEST = "blueprint_spec: device/3.0\n";
const manifest: RawEntry = { name: "manifest.yml", content: MANIFEST };
const issuesOf = (bytes: Uint8Array) => {
  const { package: unpacked, issues } = unpackPackage(bytes);
  // A refusal hands out nothing, and nothing is refused without a reason.
  expect(unpacked === undefined).toBe(issues.length > 0);
  return issues;
};
const summary = (archive: RawArchive | readonly RawEntry[]) =>
  issuesOf(rawZip(archive)).map(({ code, path }) => `${code} ${path}`.trim());

describe("what is taken", () => {
  test("a packed folder comes back as it was, and packing is the same byte for byte in any order", () => {
    const files = new Map([
      ["manifest.yml", text(MANIFEST)],
      ["lua/main.lua", text("-- Grüße\n".repeat(1000))],
      ["empty.txt", text("")],
      ["random.bin", Uint8Array.from({ length: 300 }, (_, index) => (index * 7919) % 251)],
    ]);
    const packed = packPackage(files);
    const { package: unpacked } = unpackPackage(packed);
    expect(unpacked).toMatchObject({ kind: "zip", manifestPath: "manifest.yml", manifest: MANIFEST });
    expect(new Map([...(unpacked?.files ?? [])].map(([path, content]) => [path, Buffer.from(content)]))).toEqual(
      new Map([...files].map(([path, content]) => [path, Buffer.from(content)])),
    );
    expect(packPackage(new Map([...files].reverse()))).toEqual(packed);
  });

  test.each<readonly [string, RawArchive | readonly RawEntry[]]>([
    ["stored and deflated files", [manifest, { name: "a", content: "stored", method: 0 }]],
    ["listed folders", [{ name: "lua/", mode: 0o40755, method: 0 }, { name: "lua/main.lua", content: "x" }, manifest]],
    ["folders by their DOS attribute", [{ name: "lua/", dosAttributes: 0x10, method: 0 }, manifest]],
    [
      "sizes after the data",
      [
        { ...manifest, descriptor: "signed" },
        { name: "b", content: "b", descriptor: "plain" },
      ],
    ],
    ["a comment at the end", { entries: [manifest], comment: text("0123abcd") }],
    ["manifest.yaml", [{ name: "manifest.yaml", content: MANIFEST }]],
    ["a byte order mark", [{ name: "manifest.yml", content: `\ufeff${MANIFEST}` }]],
    ["regular files by their mode", [{ ...manifest, mode: 0o100644 }]],
    ["a second name that agrees", [{ ...manifest, extra: unicodePath("manifest.yml") }]],
    ["small files packed tightly", [manifest, { name: "zeros", content: new Uint8Array(60_000) }]],
  ])("%s", (_, archive) => {
    expect(issuesOf(rawZip(archive))).toEqual([]);
    expect(unpackPackage(rawZip(archive)).package?.manifest).toBe(MANIFEST);
  });

  test("a bare manifest is a package of one file", () => {
    expect(unpackPackage(text(MANIFEST)).package).toMatchObject({ kind: "manifest", manifest: MANIFEST });
    expect(unpackPackage(text('{"blueprint_spec":"device/3.0"}')).package?.kind).toBe("manifest");
    expect(unpackPackage(new Uint8Array()).package?.manifest).toBe("");
  });

  test("what file managers leave behind is left out", () => {
    const litter = ["__MACOSX/._manifest.yml", "lua/.DS_Store", "Thumbs.db"].map((name) => ({ name, content: "x" }));
    const unpacked = unpackPackage(rawZip([manifest, ...litter])).package;
    expect([...(unpacked?.files.keys() ?? [])]).toEqual(["manifest.yml"]);
  });
});

describe("paths that leave the package or mean two things", () => {
  test.each([
    "../evil",
    "lua/../../evil",
    "lua/..",
    "..",
    "/etc/passwd",
    "//host/share",
    "..\\evil",
    "lua\\main.lua",
    "C:/evil",
    "c:evil",
    "file.txt:stream",
    "a//b",
    "./a",
    "a/./b",
    "a\0.lua",
    "a\nb",
    "lua./main.lua",
    "lua /main.lua",
    "NUL",
    "lua/con.lua",
    "ab\u202elua.txt",
    "zero\u200bwidth",
    "x".repeat(241),
    `${"a/".repeat(12)}b`,
    "",
  ])("%j is refused", (name) => {
    expect(summary([manifest, { name, content: "x" }])).toEqual([`package_path ${name}`.trim()]);
  });

  test("sixty thousand folders in one name are refused by their length alone", () => {
    expect(summary([manifest, { name: `${"a/".repeat(30_000)}b` }])).toEqual([
      expect.stringMatching(/^package_path a\/a/),
    ]);
  });

  test("a name that is not UTF-8 is refused", () => {
    expect(summary([manifest, { name: Uint8Array.of(0x66, 0xfc, 0x72), content: "x" }])).toEqual([
      "package_path f\ufffdr",
    ]);
  });

  test.each([
    ["twice the same", ["a.lua", "a.lua"], "a.lua"],
    ["letter case", ["lua/Main.lua", "lua/main.lua"], "lua/main.lua"],
    ["composed accents", ["\u00fc.lua", "u\u0308.lua"], "u\u0308.lua"],
    ["sharp s", ["stra\u00dfe", "STRASSE"], "STRASSE"],
    ["full width", ["a.lua", "\uff41.lua"], "\uff41.lua"],
    ["file and folder", ["lua", "lua/main.lua"], "lua/main.lua"],
    ["folder and file", ["lua/main.lua", "LUA"], "lua/main.lua"],
    ["file and listed folder", ["lua", "lua/"], "lua/"],
  ])("collision by %s is refused", (_, names, expected) => {
    const entries = names.map((name) => ({ name, content: name.endsWith("/") ? "" : "x" }));
    expect(summary([manifest, ...entries])).toEqual([`package_duplicate_path ${expected}`]);
  });
});

describe("files that are no files", () => {
  test.each([
    ["symbolic link", { mode: 0o120777 }],
    ["pipe", { mode: 0o010644 }],
    ["character device", { mode: 0o020644 }],
    ["block device", { mode: 0o060644 }],
    ["socket", { mode: 0o140644 }],
    ["reparse point", { dosAttributes: 0x400 }],
    ["volume label", { dosAttributes: 0x08 }],
    ["folder without a slash", { mode: 0o040755 }],
    ["DOS folder without a slash", { dosAttributes: 0x10 }],
  ])("%s is refused", (_, attributes) => {
    expect(summary([manifest, { name: "link", content: "/etc/passwd", ...attributes }])).toEqual([
      "package_special_file link",
    ]);
  });

  test("a folder that is a file by its mode is refused", () => {
    expect(summary([manifest, { name: "lua/", mode: 0o100644 }])).toEqual(["package_special_file lua/"]);
  });
});

describe("zip features that no package needs", () => {
  const field = (id: number, content: Uint8Array) => Buffer.concat([u16(id), u16(content.length), content]);
  test.each<readonly [string, Partial<RawEntry>]>([
    ["encryption", { flags: 1 }],
    ["strong encryption", { flags: 64 }],
    ["masked headers", { flags: 8192 }],
    ["AES", { method: 99 }],
    ["AES by its field", { extra: field(0x9901, new Uint8Array(7)) }],
    ["AES by an empty field", { extra: field(0x9901, new Uint8Array()) }],
    ["bzip2", { method: 12 }],
    ["zstd", { method: 93 }],
    ["a patch", { flags: 32 }],
    ["zip64 in the directory", { extra: field(1, new Uint8Array(16)) }],
  ])("%s is refused", (_, lie) => {
    expect(summary([manifest, { name: "a", content: "x", ...lie }])).toEqual(["package_unsupported a"]);
  });

  test("zip64 in a header alone is refused", () => {
    const localExtra = field(1, new Uint8Array(16));
    expect(summary([manifest, { name: "a", content: "x", localExtra }])).toEqual(["package_damaged a"]);
  });

  test.each<readonly [string, RawArchive]>([
    ["zip64 by its count", { entries: [manifest], count: 0xffff }],
    ["zip64 by its offset", { entries: [manifest], directoryOffset: 0xffffffff }],
    ["zip64 by its locator", { entries: [manifest], beforeEnd: Buffer.concat([u32(0x07064b50), Buffer.alloc(16)]) }],
    ["several disks", { entries: [manifest], disk: 1 }],
  ])("%s is refused", (_, archive) => {
    expect(summary(archive)).toEqual(["package_damaged"]);
  });
});

describe("archives that lie", () => {
  const zeros = new Uint8Array(1000);
  test.each<readonly [string, readonly RawEntry[], string]>([
    ["header with another name", [{ name: "a", localName: "b", content: "x" }], "a"],
    ["header with another method", [{ name: "a", localMethod: 0, content: "x" }], "a"],
    ["header with another size", [{ name: "a", localSize: 5, content: "x" }], "a"],
    ["wrong checksum", [{ name: "a", crc: 1, content: "x" }], "a"],
    ["unpacks to more", [{ name: "a", content: zeros, size: 10 }], "a"],
    ["unpacks to less", [{ name: "a", content: zeros, size: 2000 }], "a"],
    ["unpacks to one more", [{ name: "a", content: zeros, size: 999 }], "a"],
    ["stored with two sizes", [{ name: "a", content: "abc", method: 0, size: 2 }], "a"],
    ["broken deflate", [{ name: "a", content: "x", packed: Uint8Array.of(255, 255, 255) }], "a"],
    ["cut deflate", [{ name: "a", content: zeros, packed: deflateRawSync(zeros).subarray(0, 5) }], "a"],
    ["bytes after deflate", [{ name: "a", content: "x", packed: Buffer.concat([deflateRawSync("x"), zeros]) }], "a"],
    ["lying descriptor", [{ name: "a", content: "x", descriptor: "lying" }], "a"],
    ["data beyond the end", [{ name: "a", content: "x", packedSize: 500_000 }], "a"],
    ["folder with content", [{ name: "a/", content: "x" }], "a/"],
    ["a second name that differs", [{ name: "a", content: "x", extra: unicodePath("../evil") }], "a"],
    [
      "two files on the same bytes",
      [
        { name: "a", content: "x" },
        { name: "a2", content: "x", sharesDataOf: 1 },
      ],
      "a2",
    ],
  ])("%s is refused", (_, entries, path) => {
    expect(summary([manifest, ...entries])).toEqual([`package_damaged ${path}`]);
  });

  test("overlapping entries that contradict each other are refused", () => {
    // The data of the first entry is a whole second entry, which the directory lists too.
    const inner = rawZip([{ name: "b", content: "inner", method: 0 }]);
    const local = inner.subarray(0, 30 + 1 + 5);
    const outer = rawZip([
      { ...manifest, method: 0 },
      { name: "a", content: local, method: 0 },
    ]);
    const listed = Buffer.from(inner.subarray(local.length, local.length + 47));
    const end = Buffer.from(outer.subarray(outer.length - 22));
    const directoryAt = end.readUInt32LE(16);
    listed.writeUInt32LE(directoryAt - local.length, 42);
    end.writeUInt16LE(3, 8);
    end.writeUInt16LE(3, 10);
    end.writeUInt32LE(end.readUInt32LE(12) + listed.length, 12);
    const archive = Buffer.concat([outer.subarray(0, outer.length - 22), listed, end]);
    expect(issuesOf(archive).map(({ message }) => message)).toEqual([
      "b is damaged: its data overlaps that of another file.",
    ]);
  });

  test.each<readonly [string, RawArchive]>([
    ["bytes before the first file", { entries: [manifest], prefix: text("PK\x03\x04") }],
    ["bytes between files", { entries: [manifest], gap: text("hidden") }],
    ["a directory elsewhere", { entries: [manifest], directoryOffset: 3 }],
    ["more files than listed", { entries: [manifest], count: 2 }],
    ["fewer files than listed", { entries: [manifest, { name: "a" }], count: 1 }],
    ["two ends", { entries: [manifest], comment: rawZip([manifest]) }],
    ["rubbish in the directory", { entries: [manifest], beforeEnd: text("rubbish") }],
  ])("%s is refused", (_, archive) => {
    expect(issuesOf(rawZip(archive)).map(({ code }) => code)).toEqual(["package_damaged"]);
  });

  test("two end records are refused as that, before either directory is read", () => {
    const twoEnds = { entries: [manifest], comment: rawZip([manifest]) };
    expect(issuesOf(rawZip(twoEnds)).map(({ message }) => message)).toEqual([
      expect.stringContaining("it has two end records, so two readers could see two contents"),
    ]);
  });

  test("every cut of a good zip is refused", () => {
    const whole = packPackage(
      new Map([
        ["manifest.yml", text(MANIFEST)],
        ["a/b.lua", text("return 1")],
      ]),
    );
    for (let length = 4; length < whole.length; length++) expect(issuesOf(whole.subarray(0, length))).not.toEqual([]);
  });
});

describe("bombs", () => {
  test.each<readonly [string, () => readonly RawEntry[], string]>([
    [
      "a file over the limit",
      () => [{ name: "a", content: new Uint8Array(4 * 1024 * 1024 + 1) }],
      "package_too_large a",
    ],
    ["a tight ratio", () => [{ name: "a", content: new Uint8Array(1024 * 1024) }], "package_too_large a"],
    ["a size of four gigabytes", () => [{ name: "a", content: "x", size: 0xfffffffe }], "package_too_large a"],
    ["501 files", () => Array.from({ length: 500 }, (_, n) => ({ name: `${n}` })), "package_too_large"],
  ])("%s is refused", (_, entries, expected) => {
    expect(summary([manifest, ...entries()])).toContain(expected);
  });

  test("many files that together exceed the total are refused before any is unpacked", () => {
    // Half noise, half zeros: under the ratio each, over the limit together, and not even valid deflate.
    const entries = Array.from({ length: 5 }, (_, n) => ({
      name: `${n}`,
      packed: Uint8Array.from({ length: 60_000 }, (_, index) => (index * 31 + n) % 256),
      size: 4 * 1024 * 1024,
    }));
    expect(summary([manifest, ...entries])).toEqual(["package_too_large"]);
  });

  test.each([
    ["one hundred thousand entries", 100_000],
    ["a thousand and one entries", 1001],
  ])("%s are refused", (_, length) => {
    const entry = rawZip([{ name: "x" }]);
    const central = entry.subarray(entry.length - 22 - 47, entry.length - 22);
    const listing = Buffer.concat(Array.from({ length }, () => central));
    const count = Math.min(length, 0xfffe);
    const end = Buffer.concat([u32(0x06054b50), ...[0, 0, count, count].map(u16), u32(listing.length), u32(4), u16(0)]);
    expect(issuesOf(Buffer.concat([Buffer.from("PK\x03\x04"), listing, end])).map(({ code }) => code)).toEqual([
      "package_too_large",
    ]);
  });

  test("a zip or a bare manifest above one megabyte is refused unread", () => {
    const zip = Buffer.alloc(1024 * 1024 + 1);
    zip.write("PK\x03\x04");
    expect(issuesOf(zip)).toMatchObject([{ code: "package_too_large" }]);
    expect(issuesOf(Buffer.alloc(1024 * 1024 + 1, "a"))).toMatchObject([{ code: "package_too_large" }]);
  });
});

describe("the manifest", () => {
  test.each([
    ["no manifest", ["main.lua"], "package_no_manifest", "The package has no manifest.yml at its root."],
    [
      "a wrapping folder",
      ["pv/manifest.yml"],
      "package_no_manifest pv/manifest.yml",
      "The package has no manifest.yml at its root, but pv/manifest.yml. Pack what is inside pv, not the folder itself.",
    ],
    [
      "capital letters",
      ["Manifest.yml"],
      "package_no_manifest Manifest.yml",
      "The package has no manifest.yml at its root, but Manifest.yml. Its name is written in small letters.",
    ],
    [
      "two manifests",
      ["manifest.yml", "manifest.yaml"],
      "package_duplicate_path manifest.yaml",
      "The package has both manifest.yml and manifest.yaml. Keep one.",
    ],
  ])("%s is refused in words that help", (_, names, expected, message) => {
    const entries = names.map((name) => ({ name, content: "x" }));
    expect(summary(entries)).toEqual([expected]);
    expect(issuesOf(rawZip(entries))[0]?.message).toBe(message);
  });

  test("text that is not UTF-8 is refused", () => {
    expect(issuesOf(Buffer.from("\ufeffkey: value", "utf16le"))).toMatchObject([{ code: "package_encoding" }]);
    expect(summary([{ name: "manifest.yml", content: Uint8Array.of(0xff, 0xfe, 0x41) }])).toEqual([
      "package_encoding manifest.yml",
    ]);
  });
});

describe("all at once", () => {
  test("every faulty entry is named in one answer", () => {
    expect(
      summary([
        { name: "../a", content: "x" },
        { name: "b", mode: 0o120777, content: "x" },
        { name: "c", flags: 1, content: "x" },
        { name: "d", localName: "e", content: "x" },
        { name: "F", content: "x" },
        { name: "f", content: "x" },
      ]),
    ).toEqual([
      "package_path ../a",
      "package_special_file b",
      "package_unsupported c",
      "package_damaged d",
      "package_duplicate_path f",
    ]);
  });

  test("random bytes and mutated zips are refused or taken, never thrown at", () => {
    const good = packPackage(
      new Map([
        ["manifest.yml", text(MANIFEST)],
        ["lua/main.lua", text("return 1\n".repeat(50))],
      ]),
    );
    const mutation = fc.tuple(fc.nat(good.length - 1), fc.nat(255));
    fc.assert(
      fc.property(fc.array(mutation, { minLength: 1, maxLength: 8 }), (mutations) => {
        const bytes = Uint8Array.from(good);
        for (const [at, value] of mutations) bytes[at] = value;
        issuesOf(bytes);
      }),
      { numRuns: 2000 },
    );
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), (bytes) => {
        issuesOf(bytes);
        issuesOf(Buffer.concat([Buffer.from("PK\x03\x04"), bytes]));
        issuesOf(Buffer.concat([Buffer.from("PK\x05\x06"), bytes]));
      }),
      { numRuns: 1000 },
    );
  });

  test("a change of a single content byte never goes unnoticed", () => {
    const content = "return 1\n".repeat(20);
    const good = rawZip([manifest, { name: "a.lua", content, method: 0 }]);
    const at = Buffer.from(good).indexOf(content);
    for (let offset = 0; offset < content.length; offset++) {
      const bytes = Uint8Array.from(good);
      bytes[at + offset] = (bytes[at + offset] ?? 0) ^ 1;
      expect(issuesOf(bytes)).toMatchObject([{ code: "package_damaged", path: "a.lua" }]);
    }
  });
});

function unicodePath(name: string): Uint8Array {
  const content = Buffer.concat([Buffer.of(1, 0, 0, 0, 0), Buffer.from(name)]);
  return Buffer.concat([u16(0x7075), u16(content.length), content]);
}
