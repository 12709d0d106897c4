// Controls of devices: who controls what, why and until when; claims; and what controlled a device before.
import { allows } from "#core/access/level.ts";
import type { Blueprint } from "#core/blueprint/blueprint.ts";
import { allPages } from "#service/all-pages.ts";
import { deviceBlueprint } from "#service/blueprint/blueprint-catalog.ts";
import { visibleDevice } from "#service/device/visible-device.ts";
import { deviceOfPath } from "#service/operation/find-place.ts";
import { type AnyCall, type Operation, operation, type Place } from "#service/operation/operation.ts";
import { anyText, choice, dateTime, pageOf, paging } from "#service/operation/query.ts";
import { type Static, Type } from "#service/operation/schema.ts";
import { listAnswer, renderPage } from "#service/operation/wire.ts";
import type { Call, Needs } from "#service/ports.ts";
import { visibleSite } from "#service/site/visible-site.ts";
import {
  type ClaimInput,
  type ClaimNeeds,
  claimControl,
  type FoundControl,
  findControl,
  leaseOf,
  releaseClaim,
  renewClaim,
  requireClaim,
  requireReleasable,
  requireRenewable,
} from "./claim-control.ts";
import { type ControlView, sourcesIn } from "./control-view.ts";
import {
  controlSchema,
  newClaimSchema,
  recordSchema,
  renderControlView,
  renderRecord,
  renewalSchema,
} from "./control-wire.ts";
import { nameSources } from "./name-sources.ts";

export interface ControlNeeds extends ClaimNeeds, Pick<Needs, "controls" | "sites" | "tokens" | "rules"> {
  readonly controlling: ClaimNeeds["controlling"] & {
    /** Devices that somebody controls now: of this site, and perhaps others. */
    controlled(siteId: string): Promise<Iterable<string>>;
  };
}

const tag = "Control";
const answer = Type.Object({ control: controlSchema }, { additionalProperties: false });

export function controlOperations(needs: ControlNeeds): readonly Operation[] {
  return [...reading(needs), ...claiming(needs)];
}

function reading(needs: ControlNeeds): readonly Operation[] {
  return [
    operation({
      method: "GET",
      path: "/v3/devices/:device_id/controls",
      name: "listDeviceControls",
      summary: "List the controls of a device",
      description: "What can be controlled, who controls it now, why, until when, and whether the device follows.",
      tag,
      level: "readonly",
      query: paging,
      answer: listAnswer("controls", controlSchema),
      run: async (call) => {
        const device = await visibleDevice(needs, call, call.params.device_id);
        return renderPage("controls", pageOfAll(await rendered(needs, call, device), pageOf(call.query)), (one) => one);
      },
    }),
    operation({
      method: "GET",
      path: "/v3/sites/:site_id/controls",
      name: "listSiteControls",
      summary: "List the controls of a site that are claimed",
      description: "Those of all its devices that somebody controls now, or all that can be controlled.",
      tag,
      level: "readonly",
      query: {
        ...paging,
        claimed: choice("Those that are claimed unless said otherwise; false: all.", ["true", "false"]),
      },
      answer: listAnswer("controls", controlSchema),
      run: async (call) => {
        const site = await visibleSite(needs, call, call.params.site_id);
        const isAll = call.query.claimed === "false";
        const isWanted = ({ claims, state }: ControlView) => isAll || claims.length > 0 || state.isHeld;
        const all: object[] = [];
        for await (const device of isAll ? devicesOf(needs, site.id) : controlledOf(needs, site.id)) {
          all.push(...(await rendered(needs, call, device, isWanted)));
        }
        return renderPage("controls", pageOfAll(all, pageOf(call.query)), (one) => one);
      },
    }),
    operation({
      method: "GET",
      path: "/v3/devices/:device_id/controls/:control",
      name: "getControl",
      summary: "Get a control of a device",
      tag,
      level: "readonly",
      answer,
      run: async (call) => renderFound(needs, call, await findControl(needs, call, placeOf(call))),
    }),
    operation({
      method: "GET",
      path: "/v3/devices/:device_id/control_history",
      name: "listControlHistory",
      summary: "List what controlled a device",
      description: "Newest first. An entry holds until the next one of its control. Entries are kept for 90 days.",
      tag,
      level: "readonly",
      query: {
        ...paging,
        control: anyText("Only this control."),
        "at.gte": dateTime("Leaves out what was before."),
        "at.lt": dateTime("Leaves out this moment and what came after."),
      },
      answer: listAnswer("records", recordSchema),
      run: async (call) => {
        const device = await visibleDevice(needs, call, call.params.device_id);
        const { control, "at.gte": from, "at.lt": to } = call.query;
        const page = await needs.controls.history({ deviceId: device.id, control, from, to }, pageOf(call.query));
        const blueprint = await deviceBlueprint(needs, device);
        const controls = await needs.controlling.controlsOfDevice(device);
        const mayRead = (name: string) => mayReadMeasured(call, blueprint, controls.get(name)?.reads?.attribute);
        const nameOf = await nameSources(
          needs,
          page.items.map(({ source }) => source),
        );
        return renderPage("records", page, (record) => renderRecord(record, mayRead(record.control), nameOf));
      },
    }),
  ];
}

function claiming(needs: ControlNeeds): readonly Operation[] {
  return [
    operation({
      method: "POST",
      path: "/v3/devices/:device_id/controls/:control/claims",
      name: "claimControl",
      summary: "Claim a control",
      description:
        "Says which value or limit the caller wants, why, and for how long. It takes the place of the caller's claim of the same kind. The " +
        "best class counts, in one class the oldest claim; limits of better classes hold. Needs the level of the command.",
      tag,
      level: "readonly",
      atGateway: {
        ...atGateway(needs),
        lease: async ({ body }) => leaseOf(inputOf(body as NewClaim).class, (body as NewClaim).lease),
        check: async (call) => {
          await requireClaim(needs, call, { place: placeOf(named(call)), input: inputOf(call.body as NewClaim) });
        },
      },
      body: newClaimSchema,
      answer,
      run: async (call) => {
        const given = { place: placeOf(call), input: inputOf(call.body) };
        return renderFound(needs, call, await claimControl(needs, call, given));
      },
    }),
    operation({
      method: "POST",
      path: "/v3/devices/:device_id/controls/:control/claims/:claim_id/renew",
      name: "renewClaim",
      summary: "Renew a claim",
      description: "It keeps its age. Only who made it renews it.",
      tag,
      level: "readonly",
      atGateway: {
        ...atGateway(needs),
        isHeartbeat: true,
        lease: async (call) => {
          const { claim } = await requireRenewable(needs, call, namedClaim(call));
          return leaseOf(claim.class, (call.body as Static<typeof renewalSchema>).lease);
        },
      },
      body: renewalSchema,
      answer,
      run: async (call) => {
        const { claim_id: claimId } = call.params;
        const { lease } = call.body;
        return renderFound(needs, call, await renewClaim(needs, call, { place: placeOf(call), claimId, lease }));
      },
    }),
    operation({
      method: "DELETE",
      path: "/v3/devices/:device_id/controls/:control/claims/:claim_id",
      name: "releaseClaim",
      summary: "Release a claim",
      description: "Those of others take level owner. When the last claim ends, the device gets its fallback.",
      tag,
      level: "readonly",
      atGateway: {
        ...atGateway(needs),
        shown: (call) => ({ claim_id: namedClaim(call).claimId }),
        check: async (call) => {
          await requireReleasable(needs, call, namedClaim(call));
        },
      },
      answer,
      run: async (call) => {
        const { claim_id: claimId } = call.params;
        return renderFound(needs, call, await releaseClaim(needs, call, { place: placeOf(call), claimId }));
      },
    }),
  ];
}

/** A cloud has copies, and the gateway of the device has the claims. */
const atGateway = (needs: ControlNeeds) =>
  ({
    by: "gateway",
    place: deviceOfPath,
    waits: true,
    compares: "controls",
    current: async (call: AnyCall, _: Place, given: object | undefined) =>
      given === undefined ? renderFound(needs, call, await findControl(needs, call, placeOf(named(call)))) : {},
  }) as const;

interface ClaimPath {
  readonly params: { readonly device_id: string; readonly control: string; readonly claim_id: string };
}

const named = (call: AnyCall) => call as unknown as ClaimPath;

function namedClaim(call: AnyCall) {
  const { params } = named(call);
  return { place: placeOf({ params }), claimId: params.claim_id };
}

type NewClaim = Static<typeof newClaimSchema>;

function inputOf({ kind, value, class: claimClass, reason, lease, take_over }: NewClaim): ClaimInput {
  return {
    kind: kind ?? "target",
    value: value ?? null,
    class: claimClass ?? "person",
    reason,
    lease,
    takesOver: take_over === true,
  };
}

function placeOf({ params }: { readonly params: { readonly device_id: string; readonly control: string } }) {
  return { device: params.device_id, control: params.control };
}

const devicesOf = ({ devices }: ControlNeeds, siteId: string) =>
  allPages((page) => devices.list({ scope: "all", siteId }, page));

/** Devices of the site that somebody controls now. */
async function* controlledOf({ controlling, devices }: ControlNeeds, siteId: string) {
  for (const id of await controlling.controlled(siteId)) {
    const device = await devices.find(id);
    if (device?.siteId === siteId) yield device;
  }
}

const namesIn = (needs: ControlNeeds, views: readonly ControlView[]) => nameSources(needs, views.flatMap(sourcesIn));

async function renderFound(needs: ControlNeeds, call: Call, { device, blueprint, control }: FoundControl) {
  const view = await needs.controlling.view(device.id, control);
  const mayRead = mayReadMeasured(call, blueprint, control.reads?.attribute);
  return { control: renderControlView(view, mayRead, await namesIn(needs, [view])) };
}

async function rendered(
  needs: ControlNeeds,
  call: Call,
  device: { readonly id: string; readonly blueprintId: string | undefined },
  isWanted: (view: ControlView) => boolean = () => true,
): Promise<readonly object[]> {
  const blueprint = await deviceBlueprint(needs, device);
  const controls = [...(await needs.controlling.controlsOfDevice(device)).values()];
  const views = await Promise.all(controls.map((control) => needs.controlling.view(device.id, control)));
  const wanted = views.filter(isWanted);
  const nameOf = await namesIn(needs, wanted);
  return wanted.map((view) =>
    renderControlView(view, mayReadMeasured(call, blueprint, view.control.reads?.attribute), nameOf),
  );
}

export function mayReadMeasured(
  { caller }: Call,
  blueprint: Blueprint | undefined,
  attribute: string | undefined,
): boolean {
  const declared = attribute === undefined ? undefined : blueprint?.telemetry.get(attribute);
  return declared !== undefined && allows(caller.level, declared.accessLevel);
}

function pageOfAll<Item>(all: readonly Item[], { limit, offset }: { readonly limit: number; readonly offset: number }) {
  return { items: all.slice(offset, offset + limit), total: all.length };
}
