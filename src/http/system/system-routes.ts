import { METRICS } from "#http/metrics.ts";
import { escapeHtml, htmlAnswer } from "#http/page/html-answer.ts";
import { renderWelcomePage } from "#http/page/welcome-page.ts";
import type { RawAnswer } from "#service/operation/answer.ts";
import { type Operation, operation, type Way } from "#service/operation/operation.ts";
import { Type } from "#service/operation/schema.ts";
import { oneOf } from "#service/operation/wire.ts";
import type { Troubles } from "#service/troubles.ts";

const tag = "System";

export interface SystemNeeds {
  /** Rejects when the records cannot be read. */
  readonly checkReady: () => Promise<void>;
  /** Background work that has an end, and its progress. */
  readonly underWay: () => readonly { readonly name: string; readonly percent: number }[];
  readonly troubles: Pick<Troubles, "list">;
  readonly about: {
    readonly version: string;
    readonly role: string;
    readonly headerPrefix: string;
    readonly cookieName: string;
  };
}

const STATUS = Type.Object({ status: oneOf(["ok"]) }, { additionalProperties: false });
const WORK = Type.Object({ name: Type.String(), percent: Type.Integer() }, { additionalProperties: false });
const TROUBLE = Type.Object({ part: Type.String(), message: Type.String() }, { additionalProperties: false });
const READINESS = Type.Object(
  {
    status: oneOf(["ok"]),
    under_way: Type.Optional(Type.Array(WORK)),
    degraded: Type.Optional(Type.Array(TROUBLE)),
  },
  { additionalProperties: false },
);

/** Routes about the program itself. The document and its page cover `others` and these. */
export function systemRoutes(needs: SystemNeeds, others: readonly Operation[]): readonly Operation[] {
  // The server adds the metrics itself, because it measures.
  const all = () => [...others, ...routes, METRICS];
  // Loaded when somebody asks for it, so that a start is shorter.
  const document = once(async () => (await import("#http/openapi.ts")).renderOpenapi(all(), needs.about));
  const reference = once(async () => {
    const { renderReferencePage } = await import("#http/page/reference-page.ts");
    return renderReferencePage(await document());
  });
  const welcome = once(() => htmlAnswer(renderWelcomePage(needs.about)));
  const routes: readonly Operation[] = [...probes(needs), ...pages({ document, reference, welcome })];
  return routes;
}

function probes(needs: SystemNeeds): readonly Operation[] {
  return [
    operation({
      method: "GET",
      path: "/healthz",
      name: "getHealth",
      summary: "Whether the process answers",
      tag,
      level: "public",
      answer: STATUS,
      run: async () => ({ status: "ok" }),
    }),
    operation({
      method: "GET",
      path: "/readyz",
      name: "getReadiness",
      summary: "Whether calls can be served",
      description:
        "Answers 503 while the records cannot be read and while the service stops. Work that continues in the background, such as starting devices or filling the demo's history, is under_way. What does not work while the rest serves, such as a full disk or a stored value that cannot be read, is degraded; the log has the details.",
      tag,
      level: "public",
      answer: READINESS,
      run: async () => {
        await needs.checkReady();
        const underWay = needs.underWay();
        const degraded = needs.troubles.list();
        return {
          status: "ok",
          ...(underWay.length > 0 && { under_way: underWay }),
          ...(degraded.length > 0 && { degraded }),
        };
      },
    }),
  ];
}

interface Pages {
  readonly document: () => Promise<object>;
  /** With `{address}` where the examples name the address. */
  readonly reference: () => Promise<string>;
  readonly welcome: () => RawAnswer;
}

function pages({ document, reference, welcome }: Pages): readonly Operation[] {
  return [
    operation({
      method: "GET",
      path: "/openapi.json",
      name: "getOpenapi",
      summary: "This interface as an OpenAPI 3.1 document",
      tag,
      level: "public",
      answer: Type.Object({}, { additionalProperties: true }),
      run: async () => document(),
    }),
    operation({
      method: "GET",
      path: "/docs",
      name: "getReference",
      summary: "This interface as a page",
      tag,
      level: "public",
      answer: { contentType: "text/html", description: "The reference." },
      run: async (call) => htmlAnswer((await reference()).replaceAll("{address}", escapeHtml(addressOf(call)))),
    }),
    operation({
      method: "GET",
      path: "/",
      name: "getWelcome",
      summary: "What runs here",
      tag,
      level: "public",
      answer: { contentType: "text/html", description: "A page for people." },
      run: async () => welcome(),
    }),
  ];
}

/** The address at which somebody reads the page: that of the examples. */
function addressOf({ host, isSecure }: Pick<Way, "host" | "isSecure">): string {
  const found = host();
  const isOdd = found === undefined || !/^(?:[\w.-]+|\[[\da-fA-F:.]+\])$/.test(found.name);
  if (isOdd) return "http://127.0.0.1:8080";
  const isUsual = found.port === (isSecure() ? 443 : 80);
  return `${isSecure() ? "https" : "http"}://${found.name}${isUsual ? "" : `:${found.port}`}`;
}

function once<Value>(make: () => Value): () => Value {
  let value: Value | undefined;
  return () => {
    value ??= make();
    return value;
  };
}
