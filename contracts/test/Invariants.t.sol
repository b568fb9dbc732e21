// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {LedgerModel} from "./support/LedgerModel.sol";
import {TokenTest} from "./support/TokenTest.sol";

contract InvariantsTest is TokenTest {
    LedgerModel private model;

    function setUp() public override {
        super.setUp();
        model = new LedgerModel(token, admin, operator, 1_000_000e18);
    }

    /// @dev Tells forge to call the model's functions only.
    function targetContracts() external view returns (address[] memory targets) {
        targets = new address[](1);
        targets[0] = address(model);
    }

    function invariant_supplyIsIssuedLessRedeemedAndTheSumOfBalances() public view {
        uint256 sum;
        for (uint256 i = 0; i < 5; ++i) sum += token.balanceOf(model.holders(i));
        vm.assertEq(token.totalSupply(), model.issued() - model.redeemed(), "supply is not issued less redeemed");
        vm.assertEq(token.totalSupply(), sum, "supply is not the sum of balances");
    }

    function invariant_nothingHappensTwiceUnsignedOrBeyondTheAllowance() public view {
        vm.assertEq(model.breach(), "");
        vm.assertEq(token.mintAllowance(operator), model.mintAllowance(), "the mint allowance is not what was set less what was minted");
    }

    function invariant_aBlockedBalanceStandsStill() public view {
        for (uint256 i = 0; i < 5; ++i) {
            address holder = model.holders(i);
            if (token.blocked(holder)) vm.assertEq(token.balanceOf(holder), model.balanceWhenBlocked(holder), "a blocked balance moved");
        }
    }

    /// @dev The other invariants prove something only if the model mints and burns.
    function test_theModelIssuesAndRedeems() public {
        for (uint256 i = 0; i < 60; ++i) {
            model.issue(uint256(keccak256(abi.encode(i))), 5);
            model.redeem(uint256(keccak256(abi.encode(i, "redeem"))), 5);
            if (i % 10 == 9) model.setMintAllowance(20_000_000 - 1, 1);
            if (i % 10 == 9) model.wait(1 days - 1);
        }
        vm.assertEq(model.breach(), "");
        vm.assertGe(model.issued(), 100_000e18);
        vm.assertGe(model.redeemed(), 1_000e18);
    }
}
