package advice

import (
	"slices"
	"strings"
	"sync"

	"sekisho/backend/command"
)

// families are commands that belong to the same work on a project and do no more than each
// other: whoever lets one of them run in a folder means the others, too. None of them sends,
// destroys or fetches code that the project does not name.
var families = sync.OnceValue(func() (all [][]command.Part) {
	for _, lines := range []string{
		"go build; go test; go vet; go fmt; go mod tidy; go mod download; gofmt; goimports; golangci-lint; staticcheck",
		"cargo build; cargo test; cargo check; cargo clippy; cargo fmt",
		"pytest; python -m pytest; python3 -m pytest; ruff; mypy; python -m mypy; black; isort; flake8; pyright; pylint",
		"npm test; npm run test; npm run lint; npm run build; npm run typecheck; npm run format; npm run check",
		"pnpm test; pnpm lint; pnpm build; pnpm run test; pnpm run lint; pnpm run build; pnpm run typecheck; pnpm typecheck",
		"yarn test; yarn lint; yarn build; yarn run test; yarn run lint; yarn run build; yarn typecheck",
		"npx tsc; npx eslint; npx prettier; npx vitest; npx jest; npx stylelint",
		"tsc; eslint; prettier; vitest; jest; stylelint",
		"uv run pytest; uv run ruff; uv run mypy; uv run black",
		"poetry run pytest; poetry run ruff; poetry run mypy; poetry run black",
		"dbt ls; dbt parse; dbt compile; dbt show; dbt test; dbt debug",
		"sqlfluff lint; sqlfluff parse; sqlfluff fix; sqlfluff format",
		"airflow dags list; airflow dags list-runs; airflow dags state; airflow dags details; airflow tasks list; airflow tasks state",
		"git init; git add; git commit; git switch; git fetch; git pull",
	} {
		var family []command.Part
		for line := range strings.SplitSeq(lines, "; ") {
			for _, p := range command.Read(line).Parts {
				if !slices.ContainsFunc(family, func(other command.Part) bool { return other.Name == p.Name }) {
					family = append(family, p)
				}
			}
		}
		all = append(all, family)
	}
	return all
})

// withFamilies adds to terms those of the families that they belong to, as far as they are held
// to nothing but files in the folder. It is nil where none is added.
func (s *subject) withFamilies(own terms, folder string) terms {
	all := own
	for i := range s.parts {
		p := &s.parts[i]
		for _, family := range families() {
			is := func(other command.Part) bool { return other.Name == p.Name && other.Effects == p.Effects }
			if words, known := p.Unlisted(); !known || len(words) > 0 || !slices.ContainsFunc(family, is) {
				continue
			}
			for k := range family {
				if t, ok := s.chosen(term{name: family[k].Name, effects: family[k].Effects.Names()}, &family[k], folder); ok {
					all, _ = slices.Clone(all).with(t)
				}
			}
		}
	}
	if len(all) == len(own) {
		return nil
	}
	return all
}
