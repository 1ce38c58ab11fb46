import { shownDomain } from '../../../../../engine/ground/shown-domain';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { linkTo } from '../../../shared/address';
import { later } from '../../../shared/later';
import { texts } from '../../../shared/texts';
import { Site } from '../../../statistics/bar/bar';
import { useTitle } from '../../use-title';
import { Exclusions } from './exclusions';
import { Export } from './export';
import { General } from './general';
import './options.css';
import { Removal } from './removal';
import { Reports } from './reports';
import type { SectionProps } from './section-form';
import { Sharing } from './sharing';
import { useFocusOnSwitch, WebsiteMenu } from '../website-menu';

const Goals = later(async () => (await import('./goals')).Goals);
const words = texts.console.options;
const SECTIONS = [
  'general',
  'sharing',
  'exclusions',
  'goals',
  'reports',
  'install',
  'export',
  'danger',
] as const;
type Section = (typeof SECTIONS)[number];

interface Props extends SectionProps {
  address: URLSearchParams;
  /** The script, and whether it works. */
  snippet: ComponentChildren;
  /** Tells whether the page is yet to take the focus. */
  takesFocus: { current: boolean };
}

/** The options of a website, one section at a time. */
export function Options({ address, snippet, takesFocus, ...props }: Props) {
  const { session, website, mayChange } = props;
  const mayDelete = mayChange && !session.key.websites;
  const sections = SECTIONS.filter((section) => section !== 'danger' || mayDelete);
  const section = sections.find((one) => one === address.get('section')) ?? 'general';
  useTitle(section === 'general' ? words.title : words.sections[section], shownDomain(website.domain));
  useFocusOnSwitch(takesFocus);
  return (
    <main class="options">
      <div class="title-row">
        <h1 class="site">
          <Site
            domain={website.domain}
            websites={(close) => <WebsiteMenu id={String(website.id)} onChosen={close} />}
          />
        </h1>
      </div>
      <Sections {...{ sections, section }} />
      <div class="options-body" key={section}>
        {!mayChange && section !== 'install' && section !== 'export' && (
          <p class="read-only quiet">{words.readOnly}</p>
        )}
        {section === 'install' ? snippet : <Content {...props} section={section} />}
      </div>
    </main>
  );
}

interface SectionsProps {
  sections: readonly Section[];
  section: Section;
}

function Sections({ sections, section }: SectionsProps) {
  const nav = useRef<HTMLElement>(null);
  // On a phone, the links need more than the width.
  useEffect(
    () => nav.current!.querySelector('[aria-current]')!.scrollIntoView({ block: 'nearest' }),
    [section],
  );
  return (
    <nav class="sections" aria-label={words.title} ref={nav}>
      {sections.map((one) => (
        <a
          key={one}
          {...linkTo({ section: one === 'general' ? undefined : one, guide: undefined })}
          aria-current={one === section ? 'page' : undefined}
        >
          {words.sections[one]}
        </a>
      ))}
    </nav>
  );
}

const CONTENTS = {
  general: General,
  sharing: Sharing,
  exclusions: Exclusions,
  goals: Goals,
  reports: Reports,
  export: Export,
  danger: Removal,
};

function Content({ section, ...props }: SectionProps & { section: keyof typeof CONTENTS }) {
  const Shown = CONTENTS[section];
  return <Shown {...props} />;
}
