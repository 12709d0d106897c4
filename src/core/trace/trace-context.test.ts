import { expect, test } from "vitest";
import { parseTraceContext, renderTraceContext } from "./trace-context.ts";

const TRACE = "0af7651916cd43dd8448eb211c80319c";
const SPAN = "b7ad6b7169203331";

test.each([
  [`00-${TRACE}-${SPAN}-01`, true],
  [`00-${TRACE}-${SPAN}-00`, false],
  [`cc-${TRACE}-${SPAN}-03-what the future holds`, true],
])("%s is taken: sampled %s", (text, isSampled) => {
  expect(parseTraceContext(text)).toEqual({ traceId: TRACE, spanId: SPAN, isSampled, state: undefined });
});

test.each([
  undefined,
  "",
  "nonsense",
  `00-${TRACE}-${SPAN}`,
  `00-${TRACE}-${SPAN}-01-more`,
  `ff-${TRACE}-${SPAN}-01`,
  `00-${"0".repeat(32)}-${SPAN}-01`,
  `00-${TRACE}-${"0".repeat(16)}-01`,
  `00-${TRACE.toUpperCase()}-${SPAN}-01`,
  `00-${TRACE}-${SPAN}-01\r\nX: y`,
])("%j is no trace", (text) => {
  expect(parseTraceContext(text)).toBeUndefined();
});

test("what others added is passed on, unless it is too long or no text", () => {
  const parent = `00-${TRACE}-${SPAN}-01`;
  const passed = (state: string) => {
    const context = parseTraceContext(parent, state);
    return context && renderTraceContext(context);
  };
  expect(passed("vendor=1,other=2")).toEqual({ traceparent: parent, tracestate: "vendor=1,other=2" });
  expect(passed("x".repeat(513))).toEqual({ traceparent: parent });
  expect(passed("a=b\n")).toEqual({ traceparent: parent });
});
