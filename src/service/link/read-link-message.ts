// Reads a message that came over a link: unpacks it, measures its JSON before that is parsed, and parses it. The other side
// is not trusted, so each step has a limit, and each long step has a turn of its own on the main thread.
import { ByteReader } from "#core/bytes/byte-reader.ts";
import { HEADER_JSON, MAX_HEADER_BYTES, MAX_JSON_BYTES, MESSAGE_JSON } from "#core/link/link-limits.ts";
import { LinkMistake } from "#core/link/message-fields.ts";
import { createJsonScan, type JsonLimits } from "#core/text/json-excess.ts";
import type { LinkIntake } from "#service/link/link-intake.ts";

export const [PLAIN, PACKED, WITH_CONTENT, SHORT] = [0, 1, 2, 3];
/** The first has the kind SHORT, and the next ones follow. */
export const SHORT_TYPES = ["packed", "packed_stored"];

export type Parse<Received> = (value: unknown, content?: Uint8Array) => Received;

/** A scan of so many characters takes about a millisecond. */
const SCAN_CHARACTERS = 64 * 1024;
const utf8 = new TextDecoder("utf-8", { fatal: true });

export async function readLinkMessage<Received>(
  intake: Pick<LinkIntake, "run" | "unpack">,
  message: Uint8Array,
  parse: Parse<Received>,
): Promise<Received> {
  const [kind = PLAIN] = message;
  const body = Buffer.from(message.buffer, message.byteOffset + 1, message.length - 1);
  try {
    const type = SHORT_TYPES[kind - SHORT];
    if (type !== undefined) return await intake.run(() => readShort(type, body, parse));
    if (kind === WITH_CONTENT) return await intake.run(() => readWithContent(body, parse));
    const json = kind === PACKED ? await unpack(intake, body) : body;
    return await readJson(intake, json, parse);
  } catch (error) {
    if (error instanceof LinkMistake) throw error;
    throw new LinkMistake("a message cannot be read", { cause: error });
  }
}

async function unpack(intake: Pick<LinkIntake, "unpack">, body: Uint8Array): Promise<Uint8Array> {
  try {
    return await intake.unpack(body, MAX_JSON_BYTES);
  } catch (error) {
    const isTooLarge = error instanceof RangeError;
    const reason = isTooLarge ? `is larger than ${MAX_JSON_BYTES} bytes` : "cannot be unpacked";
    throw new LinkMistake(`a message ${reason}`, { cause: error });
  }
}

async function readJson<Received>(
  intake: Pick<LinkIntake, "run">,
  bytes: Uint8Array,
  parse: Parse<Received>,
): Promise<Received> {
  if (bytes.length > MAX_JSON_BYTES) throw new LinkMistake(`a message is larger than ${MAX_JSON_BYTES} bytes`);
  if (bytes.length <= SCAN_CHARACTERS) {
    return await intake.run(() => parse(parseBounded(utf8.decode(bytes), MESSAGE_JSON)));
  }
  const text = await intake.run(() => utf8.decode(bytes));
  const scan = createJsonScan(text, MESSAGE_JSON);
  while (!scan.isDone) requireWithin(await intake.run(() => scan.step(SCAN_CHARACTERS)));
  return await intake.run(() => parse(JSON.parse(text)));
}

function readShort<Received>(type: string, body: Uint8Array, parse: Parse<Received>): Received {
  const reader = new ByteReader(body, "message");
  return parse({ type, number: reader.unsigned() }, reader.take(reader.left));
}

function readWithContent<Received>(body: Buffer, parse: Parse<Received>): Received {
  const length = body.readUInt32LE();
  if (length > MAX_HEADER_BYTES) throw new LinkMistake(`a header is larger than ${MAX_HEADER_BYTES} bytes`);
  const end = 4 + length;
  const header = parseBounded(utf8.decode(body.subarray(4, end)), HEADER_JSON);
  // The content is on its own, so that it can be handed to a thread.
  return parse(header, Uint8Array.from(body.subarray(end)));
}

function parseBounded(text: string, limits: JsonLimits): unknown {
  requireWithin(createJsonScan(text, limits).step(text.length));
  return JSON.parse(text);
}

function requireWithin(excess: string | undefined): void {
  if (excess !== undefined) throw new LinkMistake(`a message is ${excess}`);
}
