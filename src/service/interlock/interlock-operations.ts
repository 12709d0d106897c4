// Interlocks of a site: limits that hold whatever anybody claims.
import { refuse } from "#core/app-error.ts";
import type { Interlock } from "#core/interlock/interlock.ts";
import { parseInterlock } from "#core/interlock/parse-interlock.ts";
import { auditTrail } from "#service/access/audit-trail.ts";
import type { Controls } from "#service/control/controls.ts";
import { siteOfPath } from "#service/operation/find-place.ts";
import { type AnyCall, type Operation, operation } from "#service/operation/operation.ts";
import { type Static, Type } from "#service/operation/schema.ts";
import { NOTHING, nullable } from "#service/operation/wire.ts";
import type { Call, Needs } from "#service/ports.ts";
import { visibleSite } from "#service/site/visible-site.ts";
import {
  checkSchema,
  expectedRevision,
  IF_MATCH,
  interlockMistakes,
  interlockSchema,
  newInterlockSchema,
  parseInterlockName,
  renderInterlock,
  requireNoProblems,
} from "./interlock-wire.ts";
import type { Interlocks } from "./interlocks.ts";
import type { ReportedInterlocks } from "./reported-interlocks.ts";
import { type ShownInterlock, shownHere } from "./shown-interlock.ts";

export interface InterlockNeeds extends Pick<Needs, "sites" | "now" | "newId"> {
  readonly interlocking: Pick<Interlocks, "ofSite" | "problemsOf" | "put" | "remove">;
  readonly controlling: Pick<Controls, "knowLimits">;
  /** In a cloud: those of its gateways. */
  readonly reportedInterlocks: Pick<ReportedInterlocks, "ofSite"> | undefined;
}

const tag = "Control";
const answer = Type.Object({ interlock: interlockSchema }, { additionalProperties: false });
const putAnswer = Type.Object(
  {
    interlock: {
      ...nullable(interlockSchema),
      description: "null: in a cloud, while a new one waits for its gateway.",
    },
  },
  { additionalProperties: false },
);

export function interlockOperations(needs: InterlockNeeds): readonly Operation[] {
  return [...reading(needs), ...changing(needs)];
}

function reading(needs: InterlockNeeds): readonly Operation[] {
  return [
    operation({
      method: "GET",
      path: "/v3/sites/:site_id/interlocks",
      name: "listInterlocks",
      summary: "List the interlocks of a site",
      description: "With what each demands now and why, by name.",
      tag,
      level: "readonly",
      answer: Type.Object({ interlocks: Type.Array(interlockSchema) }, { additionalProperties: false }),
      run: async (call) => {
        const { id } = await visibleSite(needs, call, call.params.site_id);
        return { interlocks: (await shownOf(needs, id)).map((one) => renderInterlock(one, call)) };
      },
    }),
    operation({
      method: "GET",
      path: "/v3/sites/:site_id/interlocks/:interlock",
      name: "getInterlock",
      summary: "Get an interlock of a site",
      description: "What it says, and what it demands now and why.",
      tag,
      level: "readonly",
      answer,
      run: async (call) => {
        const { id } = await visibleSite(needs, call, call.params.site_id);
        return await rendered(needs, call, { siteId: id, name: call.params.interlock });
      },
    }),
    operation({
      method: "POST",
      path: "/v3/sites/:site_id/interlocks/check",
      name: "checkInterlock",
      summary: "Check an interlock",
      description:
        "Everything that is wrong with the document, also by the devices of the site. Nothing is stored. A cloud goes by what it " +
        "knows of the devices of a gateway.",
      tag,
      level: "owner",
      body: anyDocument,
      answer: checkSchema,
      run: async (call) => {
        const { id } = await visibleSite(needs, call, call.params.site_id);
        const { interlock, problems } = parseInterlock(call.body);
        const all = interlock === undefined ? problems : await needs.interlocking.problemsOf(id, interlock);
        return { is_valid: all.length === 0, problems: all };
      },
    }),
  ];
}

/** Whatever is wrong with it is the answer, so the schema refuses nothing. */
const anyDocument = Type.Unsafe<Static<typeof newInterlockSchema>>({
  type: "object",
  description: "As for putInterlock.",
});

function changing(needs: InterlockNeeds): readonly Operation[] {
  return [
    operation({
      method: "PUT",
      path: "/v3/sites/:site_id/interlocks/:interlock",
      name: "putInterlock",
      summary: "Set an interlock of a site",
      description:
        "Replaces the one of this name. It limits claims from the next cycle on, and commands that go beyond it are refused with " +
        "interlocked. All mistakes are reported at once, by JSON pointer; devices, attributes and controls have to exist and their " +
        "units to fit.",
      tag,
      level: "owner",
      atGateway: {
        ...atGateway,
        shown: (call) => ({ interlock: named(call), kind: (call.body as NewInterlock).kind }),
        check: async (call, { siteId }) => {
          parseInterlockName(named(call));
          await requireRevision(needs, siteId, call);
          requireNoProblems(await needs.interlocking.problemsOf(siteId, requireInterlock(call.body)));
        },
        current: async (call, { siteId }) => await current(needs, call, siteId),
      },
      headers: IF_MATCH,
      body: newInterlockSchema,
      moreMistakes: interlockMistakes,
      answer: putAnswer,
      run: async (call) => {
        const { id: siteId } = await visibleSite(needs, call, call.params.site_id);
        const name = parseInterlockName(call.params.interlock);
        const expected = expectedRevision(call);
        const interlock = requireInterlock(call.body);
        requireNoProblems(await needs.interlocking.problemsOf(siteId, interlock));
        const trail = auditTrail(needs, call, {
          target: { siteId },
          details: { interlock: name, kind: interlock.kind },
        });
        await needs.interlocking.put({ siteId, name, document: call.body, interlock, expected }, trail);
        return await rendered(needs, call, { siteId, name });
      },
    }),
    operation({
      method: "DELETE",
      path: "/v3/sites/:site_id/interlocks/:interlock",
      name: "deleteInterlock",
      summary: "Remove an interlock of a site",
      description: "Its limits end with the next cycle.",
      tag,
      level: "owner",
      atGateway: {
        ...atGateway,
        shown: (call) => ({ interlock: named(call).slice(0, 80) }),
        check: async (call, { siteId }) => {
          if ((await requireRevision(needs, siteId, call)) === 0) throw gone(named(call));
        },
      },
      headers: IF_MATCH,
      answer: NOTHING,
      run: async (call) => {
        const { id: siteId } = await visibleSite(needs, call, call.params.site_id);
        const name = call.params.interlock;
        const expected = expectedRevision(call);
        const trail = auditTrail(needs, call, { target: { siteId }, details: { interlock: name.slice(0, 80) } });
        if (!(await needs.interlocking.remove({ siteId, name, expected }, trail))) throw gone(name);
        return {};
      },
    }),
  ];
}

/** A cloud has copies, and the gateway that owns the site is the only judge. */
const atGateway = {
  by: "gateway",
  place: siteOfPath,
  waits: true,
  compares: "interlock",
  expected: (call: AnyCall) => expectedRevision(call),
} as const;

type NewInterlock = Static<typeof newInterlockSchema>;

const named = (call: AnyCall): string => (call.params as { readonly interlock: string }).interlock;

/** The revision that a cloud knows; 0: none. Refuses a change of another one. */
async function requireRevision(needs: InterlockNeeds, siteId: string, call: AnyCall): Promise<number> {
  const found = (await shownOf(needs, siteId)).find(({ stored }) => stored.name === named(call));
  const revision = found?.stored.revision ?? 0;
  const expected = expectedRevision(call);
  if (expected === undefined || expected === revision) return revision;
  throw refuse("conflict", `the interlock has revision ${revision} here, not ${expected}; read it again`, { revision });
}

/** What a cloud has of it now. */
async function current(needs: InterlockNeeds, call: AnyCall, siteId: string) {
  const found = (await shownOf(needs, siteId)).find(({ stored }) => stored.name === named(call));
  return { interlock: found === undefined ? null : renderInterlock(found, call) };
}

async function shownOf(needs: InterlockNeeds, siteId: string): Promise<readonly ShownInterlock[]> {
  const reported = await needs.reportedInterlocks?.ofSite(siteId);
  if (reported !== undefined) return reported;
  await needs.controlling.knowLimits();
  return (await needs.interlocking.ofSite(siteId)).map(shownHere);
}

function requireInterlock(document: unknown): Interlock {
  const { interlock, problems } = parseInterlock(document);
  requireNoProblems(problems);
  if (interlock === undefined) throw refuse("invalid_body", "the document is no interlock");
  return interlock;
}

const gone = (name: string) => refuse("not_found", `the site has no interlock ${JSON.stringify(name.slice(0, 80))}`);

async function rendered(needs: InterlockNeeds, call: Call, { siteId, name }: { siteId: string; name: string }) {
  const found = (await shownOf(needs, siteId)).find(({ stored }) => stored.name === name);
  if (found === undefined) throw gone(name);
  return { interlock: renderInterlock(found, call) };
}
