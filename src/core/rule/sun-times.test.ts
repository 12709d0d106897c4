import { expect, test } from "vitest";
import { sunTimes } from "./sun-times.ts";

const PLACES = {
  London: [51.5074, -0.1278],
  "New York": [40.7128, -74.006],
  Sydney: [-33.8688, 151.2093],
  Kyiv: [50.5, 30.5],
  "Los Angeles": [33, -118],
} as const;

const at = (text: string) => Date.parse(`${text}Z`);
const minutes = (text: string, time: string) => at(`${text}T${time}`);

// Times as almanacs give them, to the minute and in UTC.
test.each([
  ["London", "2015-12-01", "07:43", "15:55"],
  ["London", "2015-12-25", "08:06", "15:56"],
  ["London", "2024-06-21", "03:43", "20:21"],
  ["New York", "2024-12-21", "12:16", "21:31"],
  ["Kyiv", "2013-03-05", "04:35", "15:47"],
] as const)("%s on %s: from %s to %s", (place, day, sunrise, sunset) => {
  const [latitude, longitude] = PLACES[place];
  const found = sunTimes(at(`${day}T12:00`) - longitude * 240_000, { latitude, longitude });
  expect(Math.abs((found.sunrise ?? 0) - minutes(day, sunrise))).toBeLessThanOrEqual(120_000);
  expect(Math.abs((found.sunset ?? 0) - minutes(day, sunset))).toBeLessThanOrEqual(120_000);
});

test.each([
  ["Sydney", "2024-12-21T18:41", "2024-12-22T09:06"],
  ["New York", "2024-06-20T09:25", "2024-06-21T00:31"],
  ["Los Angeles", "2000-06-20T12:44", "2000-06-21T03:02"],
] as const)("%s, where a day lies on two of UTC: from %s to %s", (place, sunrise, sunset) => {
  const [latitude, longitude] = PLACES[place];
  const found = sunTimes((at(sunrise) + at(sunset)) / 2, { latitude, longitude });
  expect(Math.abs((found.sunrise ?? 0) - at(sunrise))).toBeLessThanOrEqual(120_000);
  expect(Math.abs((found.sunset ?? 0) - at(sunset))).toBeLessThanOrEqual(120_000);
});

test("beyond the polar circles the sun stays up or down", () => {
  const tromso = { latitude: 69.65, longitude: 18.96 };
  for (const day of ["2024-06-21", "2024-12-21"])
    expect(sunTimes(at(`${day}T11:00`), tromso)).toMatchObject({ sunrise: undefined, sunset: undefined });
  expect(sunTimes(at("2024-03-20T11:00"), tromso).sunrise).toBeDefined();
});

test("a year of days at every longitude: in order, about 24 hours apart, nearest to what was asked for", () => {
  for (let longitude = -180; longitude <= 180; longitude += 45) {
    let before: number | undefined;
    for (let day = 0; day < 366; day += 1) {
      const near = at("2024-01-01T12:00") - longitude * 240_000 + day * 86_400_000;
      const { sunrise = 0, sunset = 0, noon } = sunTimes(near, { latitude: 48, longitude });
      expect(Math.abs(noon - near)).toBeLessThan(20 * 60_000);
      expect(sunrise < noon && noon < sunset).toBe(true);
      if (before !== undefined) expect(Math.abs(sunrise - before - 86_400_000)).toBeLessThan(180_000);
      before = sunrise;
    }
  }
});
