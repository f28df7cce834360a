fetch("/from-worker.json");
