import { z } from 'zod';
import { fetchJson } from './fetch-json.ts';
import { defineTool, type Tool, ToolError } from './tool.ts';
import { weatherInWords } from './weather-codes.ts';

/** Where the weather comes from: the full addresses of Open-Meteo's two services, or of others that speak like them. */
export interface WeatherOptions {
  /** Such as `https://geocoding-api.open-meteo.com/v1/search`. */
  readonly geocodingUrl: string;
  /** Such as `https://api.open-meteo.com/v1/forecast`. */
  readonly forecastUrl: string;
}

const SERVICE = 'The weather service';

// Only what is used is checked; a service that says more, or leaves out an extra, still serves.
const placesSchema = z.object({
  results: z
    .array(z.object({ name: z.string(), latitude: z.number(), longitude: z.number(), country: z.string().nullish() }))
    .nullish(),
});
const forecastSchema = z.object({
  current: z.object({
    time: z.string(),
    temperature_2m: z.number(),
    relative_humidity_2m: z.number().nullish(),
    wind_speed_10m: z.number().nullish(),
    weather_code: z.number().nullish(),
  }),
});

/** The built-in `get_weather`: the weather in a city now, from Open-Meteo. */
export function createGetWeather({ geocodingUrl, forecastUrl }: WeatherOptions): Tool {
  return defineTool({
    name: 'get_weather',
    description: 'Tells the current weather in a city: temperature, conditions, humidity and wind.',
    input: z.object({ city: z.string().trim().min(1).describe('Name of the city, such as "Seoul"') }),
    effect: 'read',
    run: async ({ city }, { signal }) => {
      const found = await fetchJson(geocodingUrl, { name: city, count: '1' }, { service: SERVICE, signal });
      const place = parsed(placesSchema, found).results?.[0];
      if (place === undefined) throw new ToolError(`No city named ${JSON.stringify(city.slice(0, 80))} was found.`);
      const where = { latitude: String(place.latitude), longitude: String(place.longitude), timezone: 'auto' };
      const current = 'temperature_2m,relative_humidity_2m,wind_speed_10m,weather_code';
      const forecast = await fetchJson(forecastUrl, { ...where, current }, { service: SERVICE, signal });
      const now = parsed(forecastSchema, forecast).current;
      return {
        place: place.country ? `${place.name}, ${place.country}` : place.name,
        localTime: now.time,
        temperatureCelsius: now.temperature_2m,
        conditions: weatherInWords(now.weather_code),
        humidityPercent: now.relative_humidity_2m ?? undefined,
        windKmPerHour: now.wind_speed_10m ?? undefined,
      };
    },
  });
}

function parsed<T>(schema: z.ZodType<T>, value: unknown): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const path = result.error.issues[0]?.path.join('.') ?? '';
  throw new Error(`${SERVICE} sent an answer that cannot be read (at "${path}").`, { cause: result.error });
}
