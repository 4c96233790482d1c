"""Elements that store or dissipate energy: springs, hinges, tetrahedra."""
