import { Field } from '../../common/fields';
import { dateTime, oneOfNumbers } from '../../common/parsers';
import { addressLines, parameterLines } from '../exclusions';
import { parsePassword } from '../password';
import { Privacy, type Switch } from '../website.entity';

const PRIVACIES = [Privacy.Public, Privacy.Private, Privacy.Password] as const;
const SWITCHES = [0, 1] as const;

/** What can be set when a website is stored and when it is updated; null clears, absent stays. */
export class UpdateWebsite {
  @Field({
    parse: oneOfNumbers(PRIVACIES),
    numeric: true,
    api: {
      type: 'integer',
      enum: PRIVACIES,
      description: 'Who may look at the statistics: 0 = Public, 1 = Private, 2 = Password.',
    },
  })
  privacy?: Privacy;

  @Field({
    parse: parsePassword,
    clearable: true,
    api: {
      type: String,
      format: 'password',
      example: '',
      maxLength: 128,
      description: 'Opens the statistics when privacy is 2, and is required then. It is never returned.',
    },
  })
  password?: string | null;

  @Field({
    parse: oneOfNumbers(SWITCHES),
    numeric: true,
    api: {
      type: 'integer',
      enum: SWITCHES,
      description: 'Periodic reports by mail: 0 = Disabled, 1 = Enabled.',
    },
  })
  email?: Switch;

  @Field({
    parse: oneOfNumbers(SWITCHES),
    numeric: true,
    api: {
      type: 'integer',
      enum: SWITCHES,
      description: 'Keep common bots out of the statistics: 0 = Disabled, 1 = Enabled.',
    },
  })
  exclude_bots?: Switch;

  @Field({
    parse: parameterLines,
    clearable: true,
    api: {
      type: String,
      example: '',
      description:
        'URL query parameters to exclude from tracking, one name of at most 255 characters a line, at most 1,000, such as session or ref_*; * is a wildcard, and alone drops the whole query.',
    },
  })
  exclude_params?: string | null;

  @Field({
    parse: addressLines,
    clearable: true,
    api: {
      type: String,
      example: '',
      description:
        'IP addresses to exclude from tracking, one address or CIDR range a line, at most 1,000, such as 203.0.113.7 or 2001:db8::/32.',
    },
  })
  exclude_ips?: string | null;

  @Field({
    parse: dateTime,
    clearable: true,
    api: {
      type: String,
      example: '',
      description:
        'Since when the website is a favorite, as Y-m-dTH:i:s in UTC, such as 2026-01-31T12:00:00; without it, it is none.',
    },
  })
  favorited_at?: Date | null;
}
