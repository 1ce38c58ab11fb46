import { flags, marks } from 'virtual:icons';
import './icons.css';
import type { Name } from '../../shared/names';
import { iconOf, type Shape } from './icon-of';

const FLAGS = new Set(flags.codes.split(' '));
const DARK = new Set(marks.dark);
/** The files lie beside the script. */
const fileOf = (name: string) => new URL(/* @vite-ignore */ `${name}.svg`, import.meta.url).href;

const SHAPES: Record<Shape, string> = {
  desktop: 'M1.8 3h12.4v8H1.8zM6 14h4M8 11v3',
  mobile: 'M4.5 1.5h7v13h-7zM7.3 12.3h1.4',
  tablet: 'M2.8 1.5h10.4v13H2.8zM7.3 12.3h1.4',
  tv: 'M1.5 4.5h13v8h-13zM5 1.5l3 3 3-3M4.5 14.5h7',
  console:
    'M4.5 4.5h7a3.5 3.5 0 0 1 0 7c-1.6 0-2-1.3-3.5-1.3s-1.9 1.3-3.5 1.3a3.5 3.5 0 0 1 0-7zM4 8h2.4M5.2 6.8v2.4M10.8 7.3v.1M11.8 8.7v.1',
  wearable: 'M4.5 4.5h7v7h-7zM6 4.5l.5-3h3l.5 3M6 11.5l.5 3h3l.5-3',
  direct: 'M2.5 8h10M8.5 4l4 4-4 4',
  others: 'M3 8h.1M8 8h.1M13 8h.1',
};

/** The flag, brand or shape of a value, or a neutral mark. It says nothing that the value does not. */
export function Icon({ name, value }: { name: Name; value: string }) {
  const icon = iconOf(name, value);
  if (!icon) return null;
  if ('letter' in icon) return <Letter {...icon} />;
  if ('flag' in icon) return <Flag code={icon.flag} />;
  return (
    <span class="value-icon" aria-hidden="true">
      {'mark' in icon ? <Mark name={icon.mark} /> : <Drawn shape={icon.shape} />}
    </span>
  );
}

function Flag({ code }: { code: string }) {
  if (!FLAGS.has(code)) return <Letter letter="?" tone={0} />;
  return (
    <span class="value-icon flag">
      <img src={fileOf(`flag-${code}-${flags.hash}`)} alt="" width="18" height="12" loading="lazy" />
    </span>
  );
}

/** Black marks are masks, so that they can be seen in either theme. */
function Mark({ name }: { name: string }) {
  const file = fileOf(`mark-${name}-${marks.hash}`);
  if (DARK.has(name)) return <span class="dark-mark" style={{ maskImage: `url("${file}")` }} />;
  return <img src={file} alt="" width="16" height="16" loading="lazy" />;
}

function Drawn({ shape }: { shape: Shape }) {
  return (
    <svg viewBox="0 0 16 16" width="16" height="16">
      <path d={SHAPES[shape]} />
    </svg>
  );
}

function Letter({ letter, tone }: { letter: string; tone: number }) {
  return (
    <span class="value-icon letter" aria-hidden="true" data-letter={letter} style={{ '--tone': tone * 30 }} />
  );
}
