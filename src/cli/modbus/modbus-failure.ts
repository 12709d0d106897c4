import type { Cli } from "#cli/cli.ts";
import { EXIT } from "#cli/exit-code.ts";
import { complain } from "#cli/print.ts";
import { QuietFailure } from "#cli/quiet-failure.ts";
import type { AccessFailure } from "#core/modbus/register-access.ts";

const NEXT: Readonly<Record<AccessFailure["kind"], string>> = {
  exception: "  the device answered; check --unit, --kind and the register",
  silence: "  check --unit and --timeout; busbar modbus scan finds units that answer",
  unreachable: "  check the address, and whether the device is on and takes another connection",
};

const CODES: Readonly<Record<AccessFailure["kind"], 5 | 6 | 7>> = {
  exception: EXIT.deviceError,
  silence: EXIT.timeout,
  unreachable: EXIT.unreachable,
};

/** Prints what could not be read, and ends the command. */
export function failModbus(cli: Cli, what: string, { failure, kind }: AccessFailure): never {
  // A device that cannot be reached is named by the failure itself, and no register matters then.
  complain(cli, [kind === "unreachable" ? failure : `${what}: ${failure}`, NEXT[kind]]);
  throw new QuietFailure(CODES[kind]);
}
