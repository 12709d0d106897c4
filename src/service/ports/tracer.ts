import type { TraceContext } from "#core/trace/trace-context.ts";

export type SpanKind = "server" | "client" | "internal";

export interface SpanEnd {
  readonly attributes?: Readonly<Record<string, string | number>>;
  /** What went wrong, in a few words. */
  readonly error?: string | undefined;
}

export interface Span {
  /** For what follows from it; undefined when it belongs to no trace. */
  readonly context: TraceContext | undefined;
  end(end: SpanEnd): void;
}

/** Records what a call leads to, for somebody who collects spans. */
export interface Tracer {
  /** Whether somebody does. Otherwise traces of others are only passed on. */
  readonly isOn: boolean;
  /** Below the parent, or as the first of a new trace. */
  begin(name: string, kind: SpanKind, parent: TraceContext | undefined): Span;
}

/** Nobody collects spans. */
export const PASS_ON: Tracer = {
  isOn: false,
  begin: (_name, _kind, context) => ({ context, end: () => {} }),
};
