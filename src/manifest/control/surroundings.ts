import type { DeclaredArgument, DeclaredValue, Surroundings } from "./check-controls.ts";

interface DraftValue {
  readonly type: string | undefined;
  readonly unit: string | undefined;
}

interface DraftArgument extends DraftValue {
  readonly required: boolean | undefined;
  readonly min?: number | undefined;
  readonly max?: number | undefined;
  readonly default?: unknown;
  readonly sensitive?: boolean | undefined;
}

/** What controls refer to, of the draft of a manifest or a profile. */
interface DraftAround {
  readonly commands: ReadonlyMap<string, DraftCommand> | undefined;
  readonly telemetry: ReadonlyMap<string, DraftValue> | undefined;
  readonly units?: ReadonlyMap<string, unknown> | undefined;
}

interface DraftCommand {
  readonly arguments: ReadonlyMap<string, DraftArgument> | undefined;
}

export function surroundingsOf(draft: DraftAround, isProfile = false): Surroundings {
  const commands = [...(draft.commands ?? [])].map(
    ([id, command]) => [id, { arguments: new Map([...(command.arguments ?? [])].map(argumentOf)) }] as const,
  );
  const telemetry = [...(draft.telemetry ?? [])].map(([id, one]): [string, DeclaredValue] => [id, one]);
  return {
    commands: new Map(commands),
    telemetry: new Map(telemetry),
    units: new Set(draft.units?.keys()),
    isProfile,
  };
}

function argumentOf([name, argument]: readonly [string, DraftArgument]): [string, DeclaredArgument] {
  const { type, unit, min, max, required, default: value, sensitive } = argument;
  return [
    name,
    { type, unit, min, max, isNeeded: required === true && value === undefined, isSensitive: sensitive === true },
  ];
}
