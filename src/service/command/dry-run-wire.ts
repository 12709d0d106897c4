import {
  claimSchema,
  controlSchema,
  type NameOfSource,
  renderClaim,
  renderControlView,
} from "#service/control/control-wire.ts";
import { Type } from "#service/operation/schema.ts";
import { described } from "#service/operation/wire.ts";
import type { DryRun } from "./dry-run-command.ts";

export const dryRunSchema = described("CommandDryRun", "What an execution of the command would be now.", {
  device_id: Type.String(),
  name: Type.String({ description: "As sent." }),
  manifest_name: Type.String({ description: "As declared in the manifest." }),
  arguments: Type.Object(
    {},
    { additionalProperties: true, description: "Effective arguments, defaults filled in; sensitive ones read ***." },
  ),
  is_reachable: Type.Boolean({ description: "Whether the device would get the command at once." }),
  claims: Type.Array(
    described("ForeseenClaim", "The claim that the command would be, once it has succeeded.", {
      claim: claimSchema,
      wins: Type.Boolean({ description: "Whether it would count." }),
      control: controlSchema,
    }),
    { description: "For each control that the command sets; `control` is how it would be then." },
  ),
});

interface Reader {
  readonly mayRead: (attribute: string | undefined) => boolean;
  readonly nameOf: NameOfSource;
}

export function renderDryRun(run: DryRun, { mayRead, nameOf }: Reader) {
  return {
    device_id: run.device.id,
    name: run.name,
    manifest_name: run.plan.command.id,
    arguments: run.shown,
    is_reachable: run.isReachable,
    claims: run.claims.map(({ claim, wins, view }) => ({
      claim: renderClaim(claim, nameOf),
      wins,
      control: renderControlView(view, mayRead(view.control.reads?.attribute), nameOf),
    })),
  };
}
