import { countries } from 'countries-list';
import { UNKNOWN } from '../cut-value';

export interface Place {
  continent: string;
  country: string;
  city: string;
}

export const NOWHERE: Place = { continent: UNKNOWN, country: UNKNOWN, city: UNKNOWN };

/** A record of the bundled database. */
interface FlatRecord {
  country_code?: string;
  city?: string;
  state1?: string;
}

interface Named {
  names?: { en?: string };
}

/** A record of MaxMind's own databases and of others with their structure. */
interface NestedRecord {
  continent?: { code?: string };
  country?: { iso_code?: string };
  subdivisions?: Named[];
  city?: Named;
}

/** The place in a record of either shape. */
export function placeOfRecord(record: object): Place {
  return 'country_code' in record ? flatPlace(record as FlatRecord) : nestedPlace(record);
}

function flatPlace({ country_code, city, state1 }: FlatRecord): Place {
  return place(country_code, city, state1);
}

function nestedPlace({ continent, country, subdivisions, city }: NestedRecord): Place {
  return place(country?.iso_code, city?.names?.en, subdivisions?.[0]?.names?.en, continent?.code);
}

/** If the country is known, its continent comes from one table, so that databases cannot disagree. */
function place(code = '', city = '', region = '', continent = UNKNOWN): Place {
  const known = isCountry(code);
  const town = withoutDistrict(city);
  return {
    continent: known ? countries[code].continent : continent,
    country: known ? code : UNKNOWN,
    city: town === '' ? UNKNOWN : [town, region, known ? code : ''].filter((part) => part !== '').join(', '),
  };
}

/** Every fifth record has a form like `Berlin (Mitte)`, which would split a city into its districts. */
function withoutDistrict(city: string): string {
  return city.split(' (', 1)[0]!;
}

function isCountry(code: string): code is keyof typeof countries {
  return Object.hasOwn(countries, code);
}
