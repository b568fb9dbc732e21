// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {SwapModel} from "./support/SwapModel.sol";
import {SwapTest} from "./support/SwapTest.sol";

contract SwapInvariantsTest is SwapTest {
    SwapModel private model;

    function setUp() public override {
        super.setUp();
        model = new SwapModel(settlement, [eur, usd], MAKER_KEY);
        for (uint256 i = 0; i < 3; ++i) {
            fund(eur, model.takers(i), 10_000e18);
            fund(usd, model.takers(i), 10_000e18);
        }
        fund(eur, maker, 10_000e18);
    }

    /// @dev Tells forge to call the model's functions only.
    function targetContracts() external view returns (address[] memory targets) {
        targets = new address[](1);
        targets[0] = address(model);
    }

    function invariant_theMakerPaysWhatItSignedAndNothingElse() public view {
        vm.assertEq(model.breach(), "");
        vm.assertEq(eur.balanceOf(maker), 10_000e18 + model.gained(0) - model.paid(0), "euros of the maker");
        vm.assertEq(usd.balanceOf(maker), 1_000e18 + model.gained(1) - model.paid(1), "dollars of the maker");
    }

    function invariant_theContractHoldsNothing() public view {
        vm.assertEq(eur.balanceOf(address(settlement)) + usd.balanceOf(address(settlement)), 0);
    }

    /// @dev The other invariants prove something only if the model swaps, and reverts for each reason.
    function test_theModelSwapsAndIsRefused() public {
        for (uint256 i = 0; i < 400; ++i) {
            uint256 seed = uint256(keccak256(abi.encode(i)));
            if (i % 20 == 19) model.cancel(seed);
            else if (i % 50 == 48) model.wait(seed);
            else if (i % 3 == 0) model.commit(seed);
            else model.swap(seed, seed >> 128);
        }
        vm.assertEq(model.breach(), "");
        vm.assertGe(model.swaps(), 10);
        vm.assertGe(model.refusals(), 10);
    }
}
