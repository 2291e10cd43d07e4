/// The page's looks, for light and dark screens and for paper.
enum PageStyle {
    static let css = """
        :root { color-scheme: light dark; --paper: #fbfbfd; --card: #ffffff; --ink: #1d1d24; --faint: #6b6f7b;
          --line: #e4e5ec; --grid: #eceef4; --accent: #c2410c; --mark: #0f766e;
          --preEvent: #fde3a7; --start: #b7e4c7; --end: #d8dee9; --day: #dfe4fb; --status: #bfdcfb; --tick: #bfe8e4;
          --stale: #e3e1dc; --placeholder: #eeeeee; --signedOut: #e9d8fd; --selectVehicle: #f5d0e6; --error: #fbc8c4; }
        @media (prefers-color-scheme: dark) { :root { --paper: #15161b; --card: #1d1f26; --ink: #ececf1;
          --faint: #9a9fad; --line: #31343f; --grid: #282b35; --accent: #fb923c; --mark: #5eead4;
          --preEvent: #6b5417; --start: #1f5b3a; --end: #3c4354; --day: #343c6b; --status: #1f4a78; --tick: #1b5955;
          --stale: #46433c; --placeholder: #33353d; --signedOut: #4d3474; --selectVehicle: #6b2e52;
          --error: #7a2a26; } }
        * { box-sizing: border-box; }
        body { margin: 0; padding: 32px 24px 64px; background: var(--paper); color: var(--ink);
          font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; }
        main { max-width: 1180px; margin: 0 auto; }
        h1 { font-size: 26px; line-height: 1.2; margin: 0 0 4px; letter-spacing: -0.01em; }
        h2 { font-size: 19px; margin: 0 0 2px; }
        p { margin: 0; } .faint { color: var(--faint); }
        section { background: var(--card); border: 1px solid var(--line); border-radius: 14px; padding: 20px 22px;
          margin-top: 24px; }
        .picture { overflow-x: auto; margin: 14px 0 6px; }
        .wide.picture { display: none; }
        svg { display: block; width: 100%; min-width: 820px; height: auto; }
        svg text { font: 12px system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; fill: var(--ink); }
        svg text.axis, svg text.label { fill: var(--faint); font-size: 11.5px; font-variant-numeric: tabular-nums; }
        svg text.day { font-weight: 600; } svg text.phase { font-weight: 600; font-size: 11.5px; }
        svg text.shows { font-size: 11.5px; }
        path { fill: none; stroke: var(--grid); } path.midnight { stroke: var(--faint); stroke-opacity: .55; }
        path.clock { stroke: var(--accent); stroke-dasharray: 3 3; } svg text.clock { fill: var(--accent); }
        path.now { stroke: var(--mark); stroke-width: 1.5; stroke-opacity: .6; } path.now[d*="z"] { fill: var(--mark); }
        path.making { stroke-width: 1; stroke: var(--faint); stroke-opacity: .6; }
        path.fresh { stroke: var(--ink); stroke-opacity: .9; stroke-width: 1.5; }
        path.visible { stroke: var(--accent); stroke-opacity: 1; stroke-width: 2.5; }
        path.due { fill: var(--faint); stroke: none; }
        .entry rect { stroke: var(--card); stroke-width: 1.5; } .entry.thin rect { stroke-width: .6; }
        .entry.hair rect { stroke: none; }
        .entry.inforce rect { stroke: var(--mark); stroke-width: 2; }
        .entry.superseded { opacity: .35; } .entry.still rect { fill-opacity: .5; }
        .legend { display: flex; flex-wrap: wrap; gap: 4px 16px; color: var(--faint); font-size: 13px; }
        .legend i { display: inline-block; width: 12px; height: 12px; border-radius: 3px; margin-right: 6px;
          vertical-align: -1px; }
        .legend i.bar { width: 3px; border-radius: 0; height: 14px; }
        i.visible { background: var(--accent); } i.fresh { background: var(--ink); }
        i.same { background: var(--faint); }
        details { border-top: 1px solid var(--line); padding: 10px 0; } details:first-of-type { margin-top: 14px; }
        summary { cursor: pointer; } summary b { font-variant-numeric: tabular-nums; }
        .badge { border: 1px solid currentColor; border-radius: 99px; padding: 0 8px; font-size: 12px;
          margin-left: 6px; color: var(--faint); white-space: nowrap; } .badge.change { color: var(--accent); }
        details details { padding-left: 18px; } details.hour > summary { font-weight: 500; }
        .unchanged { border-top: 1px solid var(--line); padding: 8px 0 8px 18px; color: var(--faint); }
        .note { color: var(--faint); font-size: 13px; }
        table { border-collapse: collapse; table-layout: fixed; width: 100%; max-width: 1400px; margin-top: 8px; }
        td, th { text-align: left; padding: 5px 14px 5px 0; vertical-align: top; border-top: 1px solid var(--grid); }
        th { color: var(--faint); font-weight: 500; font-size: 13px; border-top: none; }
        th.mark { width: 24px; } th.date { width: 148px; } th.time { width: 146px; } th.phase { width: 124px; }
        td.text { overflow-wrap: anywhere; }
        td.date { white-space: nowrap; } td.date, td.time { font-variant-numeric: tabular-nums; }
        td.mark { padding-right: 6px; color: var(--mark); }
        tr.inforce td { font-weight: 600; }
        .chip { border-radius: 6px; padding: 1px 7px; font-size: 13px; font-weight: 500; white-space: nowrap; }
        @media (min-width: 1800px) { main { max-width: 2360px; } .picture { display: none; }
          .wide.picture { display: block; } }
        @media (max-width: 600px) { body { padding: 16px 8px 32px; } section { padding: 14px 12px; }
          table, tbody, tr, td { display: block; } th, td:empty { display: none; }
          tr { position: relative; border-top: 1px solid var(--grid); padding: 6px 0 6px 20px; }
          tr:first-child { display: none; } td { border: none; padding: 0; }
          td.mark { position: absolute; left: 0; } td.time, td.phase { display: inline-block; margin-right: 8px; } }
        @media print { body { padding: 0; } section { break-inside: avoid-page; border: none; } }
        """

    /// The colour of each phase, for segments, chips and the legend.
    static func colors(of phases: [String]) -> String {
        phases.map {
            ".entry.\($0) rect { fill: var(--\($0)); } i.\($0), .chip.\($0) { background: var(--\($0)); }"
        }.joined(separator: "\n")
    }
}
