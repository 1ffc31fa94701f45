// Open-Meteo's weather codes are those of the World Meteorological Organization, table 4677, in a short form.
const WORDS: ReadonlyMap<number, string> = new Map([
  [0, 'clear sky'],
  [1, 'mainly clear'],
  [2, 'partly cloudy'],
  [3, 'overcast'],
  [45, 'fog'],
  [48, 'fog with rime'],
  [51, 'light drizzle'],
  [53, 'drizzle'],
  [55, 'heavy drizzle'],
  [56, 'light freezing drizzle'],
  [57, 'freezing drizzle'],
  [61, 'light rain'],
  [63, 'rain'],
  [65, 'heavy rain'],
  [66, 'light freezing rain'],
  [67, 'freezing rain'],
  [71, 'light snow'],
  [73, 'snow'],
  [75, 'heavy snow'],
  [77, 'snow grains'],
  [80, 'light rain showers'],
  [81, 'rain showers'],
  [82, 'violent rain showers'],
  [85, 'light snow showers'],
  [86, 'heavy snow showers'],
  [95, 'thunderstorm'],
  [96, 'thunderstorm with light hail'],
  [99, 'thunderstorm with heavy hail'],
]);

/** A WMO weather code in words; `unknown` where there is no code, and the code itself where it is a new one. */
export function weatherInWords(code: number | null | undefined): string {
  if (code === null || code === undefined) return 'unknown';
  return WORDS.get(code) ?? `weather code ${code}`;
}
