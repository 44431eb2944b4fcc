# ctest --output-junit -> one line a case: "passed NAME", "failed NAME" or "skipped NAME: REASON". With -v output=1, what the
# failed cases printed instead.
# ctest calls a case whose executable is missing "notrun" as well: only a skip the test asked for is one.

function report(outcome, text) { if (!output) print outcome, text }

function finish() {
  if (name == "") return
  if (status == "run") report("passed", name)
  else if (status == "disabled") report("skipped", name ": disabled in its source")
  else if (status == "notrun" && asked) report("skipped", name ": " (reason == "" ? "no reason given" : reason))
  else {
    report("failed", name)
    if (output) print "== " name "\n" printed
  }
  name = ""
}

function unescape(text) {
  gsub(/&lt;/, "<", text); gsub(/&gt;/, ">", text); gsub(/&quot;/, "\"", text); gsub(/&apos;/, "'", text)
  gsub(/&amp;/, "\\&", text)
  return text
}

/^\t<testcase / {
  finish()
  name = $0; sub(/.*<testcase name="/, "", name); sub(/".*/, "", name); name = unescape(name)
  status = $0; sub(/.* status="/, "", status); sub(/".*/, "", status)
  asked = 0; reason = ""; reading = 0; inside = 0; printed = ""
}
/<skipped message="SKIP_/ { asked = 1 }
/<\/system-out>/ { inside = 0 }
inside { printed = printed unescape($0) "\n" }
/<system-out>/ {
  inside = 1
  printed = $0; sub(/.*<system-out>/, "", printed); sub(/<\/system-out>.*/, "", printed); printed = unescape(printed) "\n"
}
reading {
  if (/^\[  SKIPPED \]/) reading = 0
  else reason = reason (reason == "" ? "" : " ") unescape($0)
}
/: Skipped$/ && reason == "" { reading = 1 }
END { finish() }
