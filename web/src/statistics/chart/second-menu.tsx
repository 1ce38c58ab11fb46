import { linkTo } from '../../shared/address';
import { Menu } from '../bar/menu';
import { FIGURE_NAMES, type FigureName, figureIn, FIGURES } from './figures';
import { texts } from '../../shared/texts';

interface Props {
  address: URLSearchParams;
  second: FigureName | undefined;
}

/** Chooses the metric of a second line. */
export function SecondMenu({ address, second }: Props) {
  const others = FIGURE_NAMES.filter((name) => name !== figureIn(address));
  const text = second ? FIGURES[second].text : texts.chart.second;
  return (
    <Menu
      kind="second-menu"
      {...(second && { label: texts.chart.secondIs(text) })}
      text={<span class={second ? 'key second' : 'key'}>{text}</span>}
    >
      {(close) => (
        <ul class="options" onClick={close}>
          {[undefined, ...others].map((name) => (
            <li key={name}>
              <a
                class="option"
                {...linkTo({ second: name })}
                aria-current={name === second ? 'true' : undefined}
              >
                {name ? FIGURES[name].text : texts.chart.noSecond}
              </a>
            </li>
          ))}
        </ul>
      )}
    </Menu>
  );
}
