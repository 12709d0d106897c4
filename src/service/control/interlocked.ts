import { type AppError, refuse } from "#core/app-error.ts";
import { argumentValue, type Control } from "#core/control/control.ts";
import { type Bounds, clamp } from "#core/control/resolve-claims.ts";

/** Why a command is refused, and what would be allowed. */
export function interlocked(control: Control, value: number, bounds: Bounds): AppError {
  const limit = value > bounds.max ? bounds.maxBy : bounds.minBy;
  const name = limit?.source.replace(/^interlock:/, "") ?? "";
  const allowed = clamp(value, bounds);
  const unit = control.unit === undefined ? "" : ` ${control.unit}`;
  const message = `the interlock ${name} does not allow ${value}${unit} of ${control.id}: ${limit?.reason ?? ""}; it allows ${allowed}${unit}`;
  return refuse("interlocked", message, {
    interlock: name,
    control: control.id,
    argument: control.argument,
    pointer: `/arguments/${control.argument}`,
    allowed: argumentValue(control, allowed),
    ...(Number.isFinite(bounds.min) && { min: bounds.min }),
    ...(Number.isFinite(bounds.max) && { max: bounds.max }),
    unit: control.unit ?? null,
  });
}
