// The payload of a response is an object, whatever the device sent. What it sent never costs the state of its response.

type Payload = Readonly<Record<string, unknown>>;

const NO_MESSAGE = "the device reported an error without a message";
/** Longest message that is made of other values. */
const MAX_DERIVED = 1_000;

/**
 * What a device sent as payload, as an object: any other value is under `result`, and of an error under `message`. Null is no
 * payload.
 */
export function wrapPayload(state: string, sent: unknown): Payload | undefined {
  if (sent === undefined || sent === null) return undefined;
  if (isObject(sent)) return sent;
  return state === "ERROR" ? { message: derivedMessage(sent) } : { result: sent };
}

/** An error always has a text `message`. If the device sent none, one is built from what it did send. */
export function withMessage(payload: Payload | undefined): Payload {
  return typeof payload?.["message"] === "string" ? payload : { ...payload, message: messageOf(payload) };
}

export function messageOf(payload: Payload | undefined): string {
  if (payload === undefined || Object.keys(payload).length === 0) return NO_MESSAGE;
  return derivedMessage(payload["message"] ?? reasonOf(payload) ?? payload);
}

/** The names that devices use for the text of an error, besides `message`. */
function reasonOf(payload: Payload): string | undefined {
  return [payload["reason"], payload["error"]].find((text) => typeof text === "string" && text !== "") as
    | string
    | undefined;
}

function derivedMessage(value: unknown): string {
  const isEmpty = value === null || value === "" || (Array.isArray(value) && value.length === 0);
  if (isEmpty) return NO_MESSAGE;
  return typeof value === "string" ? value : JSON.stringify(value).slice(0, MAX_DERIVED);
}

function isObject(value: unknown): value is Payload {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
