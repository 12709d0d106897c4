// The trace that a call belongs to, as the headers traceparent and tracestate of W3C Trace Context carry it.

export interface TraceContext {
  /** 32 digits in lower-case hex, not all zero. */
  readonly traceId: string;
  /** Of the span that the next one lies below: 16 digits. */
  readonly spanId: string;
  /** Whether somebody up the line records it. */
  readonly isSampled: boolean;
  /** What others added, as it came. */
  readonly state: string | undefined;
}

const PARENT = /^(?!ff)([\da-f]{2})-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})(-.*)?$/;
/** A longer one is not passed on, as the standard allows. */
const MAX_STATE = 512;
const SAMPLED = 1;

/** Undefined when there is none, or one that breaks the standard: then a new trace begins. */
export function parseTraceContext(parent: string | undefined, state?: string | undefined): TraceContext | undefined {
  const [, version, traceId = "", spanId = "", flags = "", rest] = PARENT.exec(parent ?? "") ?? [];
  // Later versions may add fields.
  if (version === undefined || (version === "00" && rest !== undefined)) return undefined;
  const isKept = state !== undefined && state.length <= MAX_STATE && /^[\x20-\x7e]+$/.test(state);
  const isSampled = (Number.parseInt(flags, 16) & SAMPLED) !== 0;
  return { traceId, spanId, isSampled, state: isKept ? state : undefined };
}

/** The headers of a call that belongs to the trace. */
export function renderTraceContext({
  traceId,
  spanId,
  isSampled,
  state,
}: TraceContext): Readonly<Record<string, string>> {
  const traceparent = `00-${traceId}-${spanId}-${isSampled ? "01" : "00"}`;
  return state === undefined ? { traceparent } : { traceparent, tracestate: state };
}
