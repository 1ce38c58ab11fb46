import { dateTimeText } from '../../validation/parsers';
import { IsDateTime, IsOneOf, IsSwitch, SENT_DATE_TIME, SENT_SWITCH } from '../../validation/rules';
import { IsAddressList, IsHostList, IsParameterList } from '../lines';
import { WebsiteOption } from '../website-option';
import { IsPassword } from '../privacy/password';
import { Privacy } from '../privacy/privacy';
import type { Switch } from '../website.entity';

const PRIVACIES = [Privacy.Public, Privacy.Private, Privacy.Password] as const;
const SWITCH = { type: 'integer', enum: [0, 1] };
const TEXT = { type: String, nullable: true } as const;
const SENT_LIST = {
  anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }],
  example: '',
};

/**
 * The options of a website. Each property defines its checks, documentation, storage and view. A new option needs only
 * a property here and a column of the entity and the table.
 */
export class UpdateWebsite {
  @WebsiteOption({
    column: 'privacy',
    initial: Privacy.Private,
    sent: {
      type: 'integer',
      enum: PRIVACIES,
      description:
        'Who may see the statistics at /share/{domain}: 0 = Public, anyone; 1 = Private, nobody but the owner; 2 = Password, anyone with the password.',
    },
    shown: {
      type: 'integer',
      enum: PRIVACIES,
      example: 1,
      description: '0 = Public, 1 = Private, 2 = Password.',
    },
  })
  @IsOneOf(PRIVACIES)
  privacy?: Privacy;

  @WebsiteOption({
    column: 'passwordHash',
    initial: null,
    sent: {
      ...TEXT,
      format: 'password',
      example: '',
      maxLength: 128,
      description: 'Required while privacy is 2. It is never returned.',
    },
    shown: { type: Boolean, example: false, description: 'Whether a password is stored.' },
    shownAs: { name: 'has_password', of: ({ passwordHash }) => passwordHash !== null },
  })
  @IsPassword()
  password?: string | null;

  @WebsiteOption({
    column: 'email',
    initial: 0,
    sent: {
      ...SENT_SWITCH,
      description: 'Periodic email reports to the owner: 0 = Disabled, 1 = Enabled.',
    },
    shown: { ...SWITCH, type: 'integer', example: 0 },
  })
  @IsSwitch()
  email?: Switch;

  @WebsiteOption({
    column: 'excludeBots',
    initial: 1,
    sent: {
      ...SENT_SWITCH,
      description: 'Excludes common bots from tracking: 0 = Disabled, 1 = Enabled.',
    },
    shown: { ...SWITCH, type: 'integer', example: 1 },
  })
  @IsSwitch()
  exclude_bots?: Switch;

  @WebsiteOption({
    column: 'excludeParams',
    initial: null,
    sent: {
      ...SENT_LIST,
      description:
        'URL query parameters to exclude from tracking, one name of at most 255 characters per line, at most 1,000 lines, like session or ref_*; * is a wildcard, and * alone removes the whole query.',
    },
    shown: { ...TEXT, example: 'session\nref_*' },
  })
  @IsParameterList()
  exclude_params?: string | null;

  @WebsiteOption({
    column: 'excludeIps',
    initial: null,
    sent: {
      ...SENT_LIST,
      description:
        'IP addresses to exclude from tracking, one address or CIDR range per line, at most 1,000 lines, like 203.0.113.7 or 2001:db8::/32.',
    },
    shown: { ...TEXT, example: '203.0.113.7' },
  })
  @IsAddressList()
  exclude_ips?: string | null;

  @WebsiteOption({
    column: 'allowedOrigins',
    initial: null,
    sent: {
      ...SENT_LIST,
      description:
        'Other hosts whose pages may send events for this website, one per line, at most 1,000 lines, like shop.example.net or *.example.net for all its subdomains.',
    },
    shown: { ...TEXT, example: 'shop.example.net' },
  })
  @IsHostList()
  allowed_origins?: string | null;

  @WebsiteOption({
    column: 'shareFilters',
    initial: 0,
    sent: {
      ...SENT_SWITCH,
      description:
        'Whether viewers of /share/{domain} may filter and combine as the owner does, by days: 0 = Disabled, 1 = Enabled. Single visitors, though nobody knows who they are, can then be told apart.',
    },
    shown: { ...SWITCH, type: 'integer', example: 0 },
  })
  @IsSwitch()
  share_filters?: Switch;

  @WebsiteOption({
    column: 'titles',
    initial: 0,
    sent: {
      ...SENT_SWITCH,
      description:
        'Whether the titles of pages are stored, where they are sent: 0 = Disabled, 1 = Enabled. Titles may name people.',
    },
    shown: { ...SWITCH, type: 'integer', example: 0 },
  })
  @IsSwitch()
  titles?: Switch;

  @WebsiteOption({
    column: 'favoritedAt',
    initial: null,
    sent: {
      ...TEXT,
      ...SENT_DATE_TIME,
      example: '',
      description:
        'When the website became a favorite, as Y-m-dTH:i:s in UTC, like 2026-01-31T12:00:00; JSON may add a Z.',
    },
    shown: {
      ...TEXT,
      pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}$',
      example: '2026-01-31T12:00:00',
    },
    shownAs: {
      name: 'favorited_at',
      of: ({ favoritedAt }) => favoritedAt && dateTimeText(favoritedAt),
    },
  })
  @IsDateTime()
  favorited_at?: Date | null;
}
