import { type Command, Option } from "commander";
import type { Cli } from "#cli/cli.ts";
import { addExamples } from "#cli/client-command.ts";
import type { ReadFlags } from "#cli/modbus/read-flags.ts";
import { readMapFile, readNamed } from "#cli/modbus/read-named.ts";
import { readValues } from "#cli/modbus/read-values.ts";
import { type ScanFlags, scan } from "#cli/modbus/scan.ts";
import { addOutputOption } from "#cli/output-format.ts";
import { UsageError } from "#cli/usage-error.ts";
import { REGISTER_KINDS } from "#core/modbus/modbus-map.ts";
import { REGISTER_TYPES, WORD_ORDERS } from "#core/modbus/register-value.ts";
import { parseDuration, toMilliseconds } from "#core/time/duration.ts";

const ADDRESS = "HOST, HOST:PORT, or a serial line such as /dev/ttyUSB0?baud_rate=9600";

export function addModbusCommands(modbus: Command, cli: Cli): void {
  addRead(modbus.command("read").description("Read registers of a device."), cli);
  addScan(modbus.command("scan").description("Look for units, readable registers and SunSpec models."), cli);
}

function addRead(read: Command, cli: Cli): void {
  read
    .argument("[address]", ADDRESS)
    .argument("[register...]", "40, 0x28, or a range such as 40-49; counted from 0")
    .option("--unit <id>", "unit id", (text) => parseInteger("--unit", text, [0, 255]), 1)
    .addOption(new Option("--kind <kind>", "what to read").choices(REGISTER_KINDS).default("holding"))
    .addOption(new Option("--type <type>", "how values lie in registers").choices(REGISTER_TYPES).default("uint16"))
    .option(
      "--count <count>",
      "how many values to read from each register on; for a string, how many registers",
      (text) => parseInteger("--count", text, [1, 1_000]),
    )
    .option("--scale <number>", "what one step is worth, such as 0.1", parseScale, 1)
    .addOption(new Option("--word-order <order>", "order of a value's registers").choices(WORD_ORDERS).default("big"))
    .addOption(new Option("--byte-order <order>", "order of a register's bytes").choices(WORD_ORDERS).default("big"))
    .option("--map <file>", "read everything that a register map names, instead of registers")
    .addOption(waitOption("--timeout <duration>", "how long to wait for each answer", "1s"));
  addOutputOption(read).action(async (address: string | undefined, registers: readonly string[], flags: ReadFlags) => {
    if (flags.map !== undefined) {
      if (registers.length > 0) throw new UsageError("give either registers or --map");
      return await readNamed(cli, flags, { address, map: await readMapFile(cli, flags.map) });
    }
    if (address === undefined) throw new UsageError("which device? give its address, such as 192.168.1.10:502");
    if (registers.length === 0) throw new UsageError("which registers? give them, such as 0-9, or --map FILE");
    await readValues(cli, flags, { address, registers });
  });
  addExamples(
    read,
    "modbus read 192.168.1.10 0-9",
    "modbus read 192.168.1.10:1502 30 --unit 3 --kind input --type float32 --word-order little",
    "modbus read '/dev/ttyUSB0?baud_rate=19200&parity=even' 100 --count 4 --type int32 --scale 0.1 -o json",
    "modbus read 192.168.1.10 --map heater/modbus.yml",
  );
}

function addScan(scanning: Command, cli: Cli): void {
  scanning
    .argument("<address>", ADDRESS)
    .option("--units <ids>", "unit ids to try, such as 1-16,247", "1-10")
    .option("--kind <kinds>", "only these kinds, such as holding,input", (text) => text.split(","))
    .option("--registers <range>", "registers to look at", "0-255")
    .addOption(waitOption("--for <duration>", "stop after this time", "1m"))
    .addOption(waitOption("--timeout <duration>", "how long to wait for each answer", "300ms"));
  addOutputOption(scanning).action((address: string, flags: ScanFlags) => scan(cli, flags, address));
  addExamples(
    scanning,
    "modbus scan 192.168.1.10",
    "modbus scan 192.168.1.10:1502 --units 1-247 --kind holding --registers 0-999 --for 5m",
    "modbus scan '/dev/ttyUSB0?baud_rate=9600' --units 1-32 -o json",
  );
}

function parseInteger(flag: string, text: string, [least, most]: readonly [number, number]): number {
  const value = Number(text);
  if (!/^\d{1,5}$/.test(text) || value < least || value > most)
    throw new UsageError(`${flag} must be a whole number from ${least} to ${most}, not "${text}"`);
  return value;
}

function parseScale(text: string): number {
  const value = Number(text);
  if (text.trim() === "" || !Number.isFinite(value) || value === 0)
    throw new UsageError(`--scale must be a number other than 0, not "${text}"`);
  return value;
}

/** Help shows the default as it is written, not as a number. */
function waitOption(flags: string, description: string, otherwise: string): Option {
  return new Option(flags, description).argParser(parseWait).default(parseWait(otherwise), otherwise);
}

function parseWait(text: string): number {
  const duration = parseDuration(text);
  const ms = duration === undefined ? 0 : toMilliseconds(duration);
  if (ms < 1 || ms > 3_600_000)
    throw new UsageError(`"${text}" must be a duration from 1ms to 1h, such as 500ms or 5s`);
  return ms;
}
