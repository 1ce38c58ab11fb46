import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { linkTo } from '../../../shared/address';
import { later } from '../../../shared/later';
import { Initial } from '../../../shared/initial/initial';
import { texts } from '../../../shared/texts';
import { ONLY } from '../../only';
import { useTitle } from '../../use-title';
import { Exclusions } from './exclusions';
import { Export } from './export';
import { General } from './general';
import './options.css';
import { Removal } from './removal';
import { Reports } from './reports';
import type { SectionProps } from './section-form';
import { Sharing } from './sharing';

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
}

/** The options of a website, one section at a time. */
export function Options({ address, snippet, ...props }: Props) {
  const { session, website, mayChange } = props;
  const mayDelete = mayChange && !session.key.websites;
  const sections = SECTIONS.filter((section) => section !== 'danger' || mayDelete);
  const section = sections.find((one) => one === address.get('section')) ?? 'general';
  useTitle(words.title, website.domain);
  return (
    <main class="options">
      <div class="title-row">
        <Initial domain={website.domain} />
        <h1 title={website.domain}>{website.domain}</h1>
      </div>
      <Sections {...{ sections, section }} id={String(website.id)} />
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
  id: string;
}

function Sections({ sections, section, id }: SectionsProps) {
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
          {...linkTo({
            ...ONLY,
            website: id,
            view: 'options',
            section: one === 'general' ? undefined : one,
          })}
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
