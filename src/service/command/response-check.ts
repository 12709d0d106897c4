// Compares the payload of a successful response with what the command declares. The declaration is documentation for
// people: a value that differs is kept, and the device's log says so once.
import { allows } from "#core/access/level.ts";
import { AppError } from "#core/app-error.ts";
import type { Command } from "#core/blueprint/blueprint.ts";
import type { Execution } from "#core/command/execution.ts";
import type { Device } from "#core/device/device.ts";
import { deviceRequester } from "#core/share/requester.ts";
import { givenValue } from "#core/value/check-inputs.ts";
import { formatProblem } from "#core/value/string-format.ts";
import { valueProblem } from "#core/value/value-problem.ts";
import { type BlueprintCatalog, deviceBlueprint } from "#service/blueprint/blueprint-catalog.ts";
import type { CheckJsonValue } from "#service/ports/check-json.ts";

export interface ResponseCheckNeeds {
  readonly catalog: BlueprintCatalog;
  readonly checkJson: CheckJsonValue;
  readonly complain: (device: Device, text: string) => Promise<void>;
}

export interface ResponseCheck {
  check(device: Device, execution: Execution): Promise<void>;
}

/** Differences that are remembered as reported. The oldest is forgotten first, and may then be reported again. */
const MAX_REPORTED = 10_000;

export function createResponseCheck(needs: ResponseCheckNeeds): ResponseCheck {
  const reported = new Set<string>();

  function isNews(device: Device, command: Command, field: string): boolean {
    const key = JSON.stringify([device.id, device.blueprintId, command.id, field]);
    if (reported.has(key)) return false;
    reported.add(key);
    if (reported.size > MAX_REPORTED) for (const oldest of reported) if (reported.delete(oldest)) break;
    return true;
  }

  async function problemOf(device: Device, command: Command, [name, value]: readonly [string, unknown]) {
    const field = command.response.get(name);
    if (field === undefined) return undefined;
    if (value === undefined) return field.required ? "is missing" : undefined;
    // Everybody who sees the device reads its log, and the response only who has the command's read level.
    const isShown = allows("readonly", command.readAccessLevel);
    const problem = valueProblem(field, value, { isShown });
    if (problem !== undefined) return problem;
    if (field.type === "string" && field.format !== undefined) return formatProblem(field.format, String(value));
    if (field.type !== "json" || field.jsonSchema?.text === undefined) return undefined;
    const fault = await checkJson(field.jsonSchema.text, value, device);
    return fault === undefined || isShown ? fault : "does not fit its schema";
  }

  async function checkJson(schema: string, value: unknown, { id }: Device): Promise<string | undefined> {
    try {
      return await needs.checkJson(schema, value, deviceRequester(id));
    } catch (error) {
      // Under overload this check is left out: nothing depends on it.
      if (error instanceof AppError) return undefined;
      throw error;
    }
  }

  return {
    async check(device, { response, request }) {
      if (response?.state !== "SUCCEEDED") return;
      const command = (await deviceBlueprint(needs, device))?.commands.get(request.manifestName);
      if (command === undefined || command.response.size === 0) return;
      for (const name of command.response.keys()) {
        const problem = await problemOf(device, command, [name, givenValue(response.payload ?? {}, name)]);
        if (problem === undefined || !isNews(device, command, name)) continue;
        await needs.complain(
          device,
          `response of ${command.id}: ${JSON.stringify(name)} ${problem}; it is kept as it came`,
        );
      }
    },
  };
}
