// Big cities, and countries with one time zone, with their IANA zones: what the demo model knows by heart.

const ZONES: Readonly<Record<string, string>> = {
  Accra: 'Africa/Accra',
  Amsterdam: 'Europe/Amsterdam',
  Athens: 'Europe/Athens',
  Auckland: 'Pacific/Auckland',
  Bangkok: 'Asia/Bangkok',
  Barcelona: 'Europe/Madrid',
  Beijing: 'Asia/Shanghai',
  Berlin: 'Europe/Berlin',
  Bogotá: 'America/Bogota',
  Boston: 'America/New_York',
  Brussels: 'Europe/Brussels',
  Budapest: 'Europe/Budapest',
  Busan: 'Asia/Seoul',
  'Buenos Aires': 'America/Argentina/Buenos_Aires',
  Cairo: 'Africa/Cairo',
  'Cape Town': 'Africa/Johannesburg',
  Chicago: 'America/Chicago',
  China: 'Asia/Shanghai',
  Copenhagen: 'Europe/Copenhagen',
  Delhi: 'Asia/Kolkata',
  Denver: 'America/Denver',
  Dhaka: 'Asia/Dhaka',
  Dubai: 'Asia/Dubai',
  Dublin: 'Europe/Dublin',
  England: 'Europe/London',
  France: 'Europe/Paris',
  Germany: 'Europe/Berlin',
  Hanoi: 'Asia/Ho_Chi_Minh',
  Helsinki: 'Europe/Helsinki',
  'Hong Kong': 'Asia/Hong_Kong',
  Honolulu: 'Pacific/Honolulu',
  India: 'Asia/Kolkata',
  Istanbul: 'Europe/Istanbul',
  Italy: 'Europe/Rome',
  Jakarta: 'Asia/Jakarta',
  Japan: 'Asia/Tokyo',
  Jerusalem: 'Asia/Jerusalem',
  Johannesburg: 'Africa/Johannesburg',
  Karachi: 'Asia/Karachi',
  Kathmandu: 'Asia/Kathmandu',
  Korea: 'Asia/Seoul',
  Kyiv: 'Europe/Kyiv',
  'Kuala Lumpur': 'Asia/Kuala_Lumpur',
  Lagos: 'Africa/Lagos',
  Lima: 'America/Lima',
  Lisbon: 'Europe/Lisbon',
  London: 'Europe/London',
  'Los Angeles': 'America/Los_Angeles',
  Madrid: 'Europe/Madrid',
  Manila: 'Asia/Manila',
  Melbourne: 'Australia/Melbourne',
  'Mexico City': 'America/Mexico_City',
  Miami: 'America/New_York',
  Milan: 'Europe/Rome',
  Montreal: 'America/Toronto',
  Moscow: 'Europe/Moscow',
  Mumbai: 'Asia/Kolkata',
  Munich: 'Europe/Berlin',
  Nairobi: 'Africa/Nairobi',
  'New Delhi': 'Asia/Kolkata',
  'New York': 'America/New_York',
  Osaka: 'Asia/Tokyo',
  Oslo: 'Europe/Oslo',
  Paris: 'Europe/Paris',
  Prague: 'Europe/Prague',
  Reykjavik: 'Atlantic/Reykjavik',
  'Rio de Janeiro': 'America/Sao_Paulo',
  Rome: 'Europe/Rome',
  'San Francisco': 'America/Los_Angeles',
  Santiago: 'America/Santiago',
  'São Paulo': 'America/Sao_Paulo',
  Seattle: 'America/Los_Angeles',
  Seoul: 'Asia/Seoul',
  Shanghai: 'Asia/Shanghai',
  Singapore: 'Asia/Singapore',
  Spain: 'Europe/Madrid',
  Stockholm: 'Europe/Stockholm',
  Sydney: 'Australia/Sydney',
  Taipei: 'Asia/Taipei',
  Tokyo: 'Asia/Tokyo',
  Toronto: 'America/Toronto',
  UK: 'Europe/London',
  Vancouver: 'America/Vancouver',
  Vienna: 'Europe/Vienna',
  Warsaw: 'Europe/Warsaw',
  Zurich: 'Europe/Zurich',
};

/** A place of a question. `zone` is undefined where the demo model does not know it. */
export interface Place {
  readonly name: string;
  readonly zone: string | undefined;
}

const byPlainName = new Map(Object.entries(ZONES).map(([name, zone]) => [plainName(name), { name, zone }]));

/** Names of the known places as a source for a regular expression, the longest first, with and without accents. */
export const KNOWN_PLACES: string = [...new Set(Object.keys(ZONES).flatMap((name) => [name, withoutAccents(name)]))]
  .sort((a, b) => b.length - a.length)
  .join('|');

/** The place of that name, whatever its case and accents. */
export function placeNamed(name: string): Place {
  return byPlainName.get(plainName(name)) ?? { name, zone: undefined };
}

/** The place that an IANA zone names, such as Asia/Ho_Chi_Minh. Whether there is one is for the tool to say. */
export function placeOfZone(zone: string): Place {
  return { name: zone, zone };
}

/** What a weather service may know a place by: of a zone, its last part. */
export function cityOf({ name }: Place): string {
  return name.slice(name.lastIndexOf('/') + 1).replaceAll('_', ' ');
}

function plainName(name: string): string {
  return withoutAccents(name).toLowerCase();
}

function withoutAccents(name: string): string {
  return name.normalize('NFD').replace(/\p{Mark}/gu, '');
}
