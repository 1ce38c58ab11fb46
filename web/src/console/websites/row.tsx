import { shownDomain } from '../../../../engine/ground/shown-domain';
import { linkTo } from '../../shared/address';
import { numberText, shortNumberText } from '../../shared/format';
import { Sign } from '../../shared/sign';
import { texts } from '../../shared/texts';
import type { Website } from '../client';
import { ONLY } from '../only';
import { Change, LiveCount } from './change';
import { GearIcon, PrivacyIcon } from './icons';
import { Initial } from '../../shared/initial/initial';
import type { Numbers } from './numbers';
import { Spark } from './spark';

const words = texts.console.websites;

interface Props {
  website: Website;
  numbers: Numbers | undefined;
  mayChange: boolean;
  onMark: () => void;
}

/** The whole row leads to the statistics. */
export function Row({ website, numbers, mayChange, onMark }: Props) {
  const domain = shownDomain(website.domain);
  const id = String(website.id);
  const visitors = numbers && numberText(numbers.sum);
  return (
    <li class="website-row">
      <Star {...{ website, mayChange, onMark }} />
      <span class="of-website">
        <Initial domain={website.domain} />
        <a {...linkTo({ ...ONLY, website: id })} class="domain" title={website.domain}>
          {domain}
        </a>
        <PrivacyIcon privacy={website.privacy} />
      </span>
      <LiveCount visitors={numbers?.live} unit={<span class="of-phone">{words.unitNow}</span>} />
      <Spark days={numbers?.days} label={words.recent(domain, visitors ?? '')} />
      <span class="of-number visitors" title={visitors} aria-hidden="true">
        {numbers && shortNumberText(numbers.sum)}
        {numbers && <small class="of-phone quiet">{words.unitDays}</small>}
      </span>
      <Change numbers={numbers} />
      <a
        class="row-options"
        {...linkTo({ ...ONLY, website: id, view: 'options' })}
        aria-label={words.optionsOf(domain)}
        title={texts.console.options.title}
      >
        <GearIcon />
      </a>
    </li>
  );
}

function Star({ website, mayChange, onMark }: Pick<Props, 'website' | 'mayChange' | 'onMark'>) {
  const isFavorite = website.favorited_at !== null;
  return (
    <button
      class={`star ${isFavorite ? 'on' : ''}`}
      disabled={!mayChange}
      aria-pressed={isFavorite}
      aria-label={words.favorite(shownDomain(website.domain))}
      onClick={onMark}
    >
      <Sign name="star" />
    </button>
  );
}
