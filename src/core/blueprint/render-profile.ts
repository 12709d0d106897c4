import { renderControl } from "#core/control/declared-control.ts";
import type { Profile, ProfileArgument, ProfileCommand, ProfileField } from "./profile.ts";

type Json = Readonly<Record<string, unknown>>;

/** A profile in the language of profile files; `parseProfile` reads it back. */
export function renderProfile(profile: Profile): Json {
  return {
    blueprint_spec: "profile/1.0",
    display_name: profile.displayName ?? profile.id,
    description: profile.description,
    ...(profile.isDraft && { draft: true }),
    ...(profile.implements.length > 0 && { implements: profile.implements }),
    ...section("properties", profile.properties, renderField),
    ...section("telemetry", profile.telemetry, renderField),
    ...section("commands", profile.commands, renderCommand),
    ...(profile.controls.size > 0 && { ".busbar": section("controls", profile.controls, renderControl) }),
  };
}

function section<Value>(name: string, map: ReadonlyMap<string, Value>, render: (value: Value) => Json): Json {
  if (map.size === 0) return {};
  const rendered: Record<string, Json> = Object.create(null);
  for (const [key, value] of map) rendered[key] = render(value);
  return { [name]: rendered };
}

function renderField(field: ProfileField): Json {
  return {
    ...(field.displayName !== undefined && { display_name: field.displayName }),
    type: field.type,
    ...(field.description !== "" && { description: field.description }),
    ...(field.unit !== undefined && { unit: field.unit }),
    ...(field.enum !== undefined && {
      enum: Object.fromEntries(
        field.enum.map(({ value, displayName, description }) => [
          value,
          {
            ...(displayName !== undefined && { display_name: displayName }),
            ...(description !== undefined && { description }),
          },
        ]),
      ),
    }),
  };
}

function renderArgument(argument: ProfileArgument): Json {
  return { ...renderField(argument), ...(argument.required && { required: true }) };
}

function renderCommand(command: ProfileCommand): Json {
  return {
    ...(command.displayName !== undefined && { display_name: command.displayName }),
    ...(command.description !== "" && { description: command.description }),
    ...section("arguments", command.arguments, renderArgument),
    ...section("response", command.response, renderField),
  };
}
