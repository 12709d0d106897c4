// Interlocks of a site: limits that hold whatever anybody claims.
import { refuse } from "#core/app-error.ts";
import type { Interlock } from "#core/interlock/interlock.ts";
import { parseInterlock } from "#core/interlock/parse-interlock.ts";
import { auditTrail } from "#service/access/audit-trail.ts";
import type { Controls } from "#service/control/controls.ts";
import { type Operation, operation } from "#service/operation/operation.ts";
import { type Static, Type } from "#service/operation/schema.ts";
import { NOTHING } from "#service/operation/wire.ts";
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

export interface InterlockNeeds extends Pick<Needs, "sites" | "now" | "newId"> {
  readonly interlocking: Pick<Interlocks, "ofSite" | "problemsOf" | "put" | "remove">;
  readonly controlling: Pick<Controls, "knowLimits">;
}

const tag = "Control";
const answer = Type.Object({ interlock: interlockSchema }, { additionalProperties: false });

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
        await needs.controlling.knowLimits();
        return { interlocks: (await needs.interlocking.ofSite(id)).map((one) => renderInterlock(one, call)) };
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
      description: "Everything that is wrong with the document, also by the devices of the site. Nothing is stored.",
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
      headers: IF_MATCH,
      body: newInterlockSchema,
      moreMistakes: interlockMistakes,
      answer,
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

function requireInterlock(document: unknown): Interlock {
  const { interlock, problems } = parseInterlock(document);
  requireNoProblems(problems);
  if (interlock === undefined) throw refuse("invalid_body", "the document is no interlock");
  return interlock;
}

const gone = (name: string) => refuse("not_found", `the site has no interlock ${JSON.stringify(name.slice(0, 80))}`);

async function rendered(needs: InterlockNeeds, call: Call, { siteId, name }: { siteId: string; name: string }) {
  await needs.controlling.knowLimits();
  const found = (await needs.interlocking.ofSite(siteId)).find(({ stored }) => stored.name === name);
  if (found === undefined) throw gone(name);
  return { interlock: renderInterlock(found, call) };
}
