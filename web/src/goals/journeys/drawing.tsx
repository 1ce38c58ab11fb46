import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { go } from '../../shared/address';
import { numberText } from '../../shared/format';
import { useWidth } from '../../statistics/chart/drawing/frame';
import { texts } from '../../shared/texts';
import { words } from '../words';
import { type Journey, type JourneyAnswer, journeyChange } from './answer';
import { type Box, layoutOf, LINE_HEIGHT } from './layout';
import { boxText, headingOf, valuesText } from './texts';

interface Props {
  answer: JourneyAnswer;
  journey: Journey;
  start: string;
  onFollowed: () => void;
}

/** Columns of pages and events, and ribbons between them, to scale. A page or event begins a journey of its own. */
export function Drawing({ answer, journey, start, onFollowed }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const width = useWidth(box);
  const [pointed, setPointed] = useState<string>();
  const isBackwards = journey.direction === 'backwards';
  const hasStart = journey.from !== 'entry';
  const { columns, boxes, ribbons, ...size } = layoutOf(answer, { available: width, isBackwards, hasStart });
  // The start of a journey that is read backwards is at the right.
  useLayoutEffect(() => {
    box.current!.scrollLeft = isBackwards ? size.width : 0;
  }, [isBackwards, size.width]);
  const isLit = (from: string, to: string) => from === pointed || to === pointed;
  return (
    <div ref={box} class="journey" tabIndex={0} role="region" aria-label={words.journeys.label(start)}>
      {width > 0 && (
        <div class="journey-inner" style={{ width: `${size.width}px`, height: `${size.height}px` }}>
          {columns.map((column) => (
            <p
              key={column.step}
              class="journey-heading quiet"
              style={{ left: `${column.x}px`, width: `${size.boxWidth}px` }}
            >
              <span>{headingOf(column, journey)}</span> <span>{words.journeys.columns.visits}</span>
            </p>
          ))}
          <svg width={size.width} height={size.height} aria-hidden="true">
            {ribbons.map(({ from, to, isEnd, path }) => (
              <path
                key={`${from} ${to}`}
                class={`ribbon ${isEnd ? 'ends' : ''} ${isLit(from, to) ? 'lit' : ''}`}
                d={path}
              />
            ))}
          </svg>
          {boxes.map((one) => (
            <Place
              key={one.key}
              {...{ one, start, journey, onFollowed }}
              width={size.boxWidth}
              onPointed={(is) => setPointed(is ? one.key : undefined)}
            />
          ))}
        </div>
      )}
    </div>
  );
}

interface PlaceProps {
  one: Box;
  width: number;
  start: string;
  journey: Journey;
  onFollowed: () => void;
  onPointed: (is: boolean) => void;
}

function Place({ one, width, start, journey, onFollowed, onPointed }: PlaceProps) {
  const { node, kind, values, visits, x, y, height, isLow } = one;
  const text = boxText(one, start, journey.direction === 'backwards');
  const attributes = {
    class: `journey-box of-${node?.kind ?? kind} ${isLow ? 'low' : ''}`,
    title: `${text}\n${words.journeys.visits(numberText(visits))}`,
    style: { left: `${x}px`, top: `${y}px`, width: `${width}px`, '--height': `${height}px` },
    onPointerEnter: () => onPointed(true),
    onPointerLeave: () => onPointed(false),
    onFocus: () => onPointed(true),
    onBlur: () => onPointed(false),
  };
  const content = (
    <span class="journey-text" style={{ lineHeight: `${LINE_HEIGHT}px` }}>
      <bdi>{kind === 'others' ? texts.merged : text}</bdi> <b>{numberText(visits)}</b>
      {kind === 'others' && <span class="journey-values">{valuesText(values)}</span>}
      {node && <span class="hidden">: {words.journeys.follow}</span>}
    </span>
  );
  if (!node) return <span {...attributes}>{content}</span>;
  const follow = () => {
    onFollowed();
    go(journeyChange({ ...journey, from: node.kind, value: node.value }));
  };
  return (
    <button {...attributes} onClick={follow}>
      {content}
    </button>
  );
}
