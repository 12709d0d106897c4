// Blueprints that cost much to read, from addresses without a token and from owners.
import { deflateRawSync } from "node:zlib";
import { rawZip } from "../../support/raw-zip.ts";
import { type Abuse, flood } from "../abuse.ts";
import { hostileManifest, mapPackage } from "../manifest.ts";

const MANIFEST_BYTES = 262_144;
const HEAD = "blueprint_spec: device/3.0\ndisplay_name: X\nruntime: {type: embedded}\n";

const MAP_BYTES = 65_536;

/** As many lines as fit into so many bytes. */
function filled(head: string, bytes: number, line: (n: number) => string): string {
  const lines: string[] = [];
  for (let size = head.length, n = 0; ; n++) {
    const next = line(n);
    size += next.length + 1;
    if (size > bytes) return `${head}${lines.join("\n")}\n`;
    lines.push(next);
  }
}

const filledManifest = (line: (n: number) => string) => filled(HEAD, MANIFEST_BYTES, line);

function aliasBomb(): string {
  const levels = Array.from(
    { length: 9 },
    (_, level) => `.l${level + 1}: &l${level + 1} [${Array(10).fill(`*l${level}`).join(", ")}]`,
  );
  return `${HEAD}.l0: &l0 x\n${levels.join("\n")}\ncommands: *l9\n`;
}

/** 1 MiB that unpacks to hundreds. */
function zipBomb(): Uint8Array {
  const content = Buffer.alloc(200_000_000);
  const packed = deflateRawSync(content);
  return rawZip([
    { name: "manifest.yml", content: hostileManifest() },
    { name: "bomb", packed, size: content.length, crc: 0 },
  ]);
}

const validating = (bytes: () => string | Uint8Array, atOnce = 70): Abuse["start"] => {
  return async (world) => {
    const body = bytes();
    return flood(world, atOnce, () => world.call("nobody", "POST", "/v3/blueprints/validate", { body }));
  };
};

export const BLUEPRINT_ABUSES: readonly Abuse[] = [
  {
    name: "70 validations at once, of manifests as large as they may be",
    who: "address",
    start: validating(() => filledManifest((n) => `.k${n}: v`)),
  },
  {
    name: "manifests in which everything is wrong",
    who: "address",
    start: validating(() => filledManifest((n) => `comands${n}: {}`)),
  },
  { name: "manifests of aliases of aliases", who: "address", start: validating(aliasBomb) },
  {
    name: "register maps in which everything is wrong",
    who: "address",
    start: validating(() => mapPackage(filled("telemetry:\n", MAP_BYTES, (n) => `  r${n}: {adress: ${n}, type: int}`))),
  },
  { name: "packages that unpack to 200 MB", who: "address", start: validating(zipBomb, 16) },
  {
    name: "packages of 1 MiB of noise",
    who: "address",
    start: validating(() => Buffer.from(Array.from({ length: 1_000_000 }, (_, n) => (n * 7_919) % 251)), 32),
  },
  {
    name: "schemas that take for ever to compile",
    who: "token",
    start: async (world) => {
      const deep = `${'{"anyOf":['.repeat(400)}{}${"]}".repeat(400)}`;
      const manifest = hostileManifest().replace('{"type": "string", "pattern": "^(a+)+$"}', deep);
      return flood(world, 8, (turn) =>
        world.call("owner", "POST", "/v3/blueprints/upload", { body: `${manifest}.n: ${turn}\n` }),
      );
    },
  },
  {
    name: "a new blueprint with every call",
    who: "token",
    start: async (world) => {
      const note = "b".repeat(200_000);
      return flood(world, 16, (turn) => {
        const body = `${hostileManifest()}.note: "${process.pid} ${turn} ${note}"\n`;
        return world.call("owner", "POST", "/v3/blueprints/upload", { body });
      });
    },
  },
];
