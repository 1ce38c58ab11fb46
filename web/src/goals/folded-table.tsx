import type { ComponentChildren } from 'preact';
import { texts } from '../shared/texts';

interface Props {
  kind?: string;
  columns: string[];
  /** The rows. */
  children: ComponentChildren;
}

/** The numbers of a drawing as a table. */
export function FoldedTable({ kind, columns, children }: Props) {
  const { asTable } = texts.chart;
  return (
    <details>
      <summary>{asTable}</summary>
      <div class="scrolls" tabIndex={0} role="region" aria-label={asTable}>
        <table class={kind}>
          <thead>
            <tr>
              {columns.map((text) => (
                <th key={text} scope="col">
                  {text}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>{children}</tbody>
        </table>
      </div>
    </details>
  );
}
