// Reads a link at once and on this thread: for simulated time, and where nobody else waits.
import { deflateRawSync, inflateRawSync } from "node:zlib";
import type { LinkIntake, LinkIntakes } from "#service/link/link-intake.ts";

export const PLAIN_INTAKE: LinkIntake = {
  turn: async () => {},
  run: async (task) => task(),
  unpack: async (bytes, maxOutputLength) => inflateRawSync(bytes, { maxOutputLength }),
  pack: async (bytes) => deflateRawSync(bytes, { level: 1 }),
  hold: () => {},
  end: () => {},
};

export const PLAIN_INTAKES: LinkIntakes = { open: () => PLAIN_INTAKE };
