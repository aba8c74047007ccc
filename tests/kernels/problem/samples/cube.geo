SetFactory("Built-in");
Mesh.MeshSizeMin=0.6; Mesh.MeshSizeMax=0.6;
Point(1)={0,0,0,0.6};Point(2)={1,0,0,0.6};Point(3)={1,1,0,0.6};Point(4)={0,1,0,0.6};
Line(1)={1,2};Line(2)={2,3};Line(3)={3,4};Line(4)={4,1};
Curve Loop(1)={1,2,3,4};Plane Surface(1)={1};
Extrude {0,0,1} {Surface{1};}
