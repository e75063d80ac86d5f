/** @jsxImportSource preact */

/** A list of names and values. */
export const Facts = (props: { rows: [name: string, value: string][] }) => (
  <dl>
    {props.rows.map(([name, value]) => (
      <div key={name}>
        <dt>{name}</dt>
        <dd>{value}</dd>
      </div>
    ))}
  </dl>
)
