const PATHS = {
  star: 'm8 1.9 1.9 3.9 4.2.6-3 3 .7 4.2L8 11.6l-3.8 2 .7-4.2-3-3 4.2-.6Z',
  tick: 'm3 8.5 3.4 3.4L13 4.8',
  up: 'M8 13V3M4 7l4-4 4 4',
  down: 'M8 3v10M4 9l4 4 4-4',
  same: 'M3 8h10M9 4l4 4-4 4',
};

/** A sign beside a text, as tall as its letters. It is drawn, because fonts have different ones or none. */
export function Sign({ name }: { name: keyof typeof PATHS }) {
  return (
    <svg class="sign" viewBox="0 0 16 16" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}
